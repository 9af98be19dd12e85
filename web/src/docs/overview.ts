import type { Facts } from "../facts.ts";
import { each, type Html, html } from "@faceline/runtime/design/html";
import { apiDocument } from "./api-document.ts";
import { codeBlock } from "./code-block.ts";
import type { DocsPage } from "./docs-page.ts";
import { exampleRequest } from "./guides/fragments.ts";
import { exampleText, responseExamples } from "./reference/examples.ts";

/** The first page of the documents: what this is, a first request, and where to go on. */
export const overview: DocsPage = {
  path: "/docs",
  title: "Documentation",
  description: "What Faceline is, a first request, and the way to guides, reference and operation.",
  body: (facts) => html`<div class="prose guide">
<h1>Documentation</h1>
<p>Faceline is a self-hosted HTTP API for face verification, embeddings and comparison. It batches requests from
many clients, and holds images in memory only while a request runs.</p>
<h2 id="quick-start">Quick start</h2>
<p>!${keyText(facts)} Then send two images:</p>
!${exampleRequest(facts)}
!${codeBlock({ caption: "Response, shortened", code: shortResponse(), language: "json" })}
<p>The <a href="/docs/quick-start">quick start</a> explains each step and the whole response.</p>
<h2 id="read-on">Read on</h2>
</div>
<div class="cards">!${each(cards, card)}</div>`,
};

const keyText = ({ keysNeeded }: Facts): Html =>
  keysNeeded
    ? html`<a href="/docs/keys">Get an API key</a> and put it into <code>FACELINE_KEY</code>.`
    : html`This service needs no API key.`;

/** The first fields of the example, up to the model. */
function shortResponse(): string {
  const text = exampleText(responseExamples(apiDocument, "/verify")[0]!.value);
  return `${text.slice(0, text.indexOf(",\n", text.indexOf('"model"')))},\n  …\n}`;
}

const cards: Card[] = [
  {
    title: "API reference",
    text: "Every endpoint, field, header and error, with examples in curl, Python and TypeScript.",
    links: [["/docs/reference", "Reference"]],
  },
  {
    title: "Clients",
    text: "Programs in Python and TypeScript, what an image may be, and the way from other services.",
    links: [
      ["/docs/clients", "Clients"],
      ["/docs/images", "Images"],
      ["/docs/coming-from-deepface", "From DeepFace"],
    ],
  },
  {
    title: "Accuracy",
    text: "What a distance means, how often the models err, and how to choose your own threshold.",
    links: [["/docs/thresholds", "Thresholds"]],
  },
  {
    title: "Errors and limits",
    text: "Each error code with its fix, rate limits, retries and deadlines.",
    links: [
      ["/docs/errors", "Errors"],
      ["/docs/limits", "Limits"],
      ["/docs/batching", "Deadlines"],
    ],
  },
  {
    title: "Privacy",
    text: "What happens to an image, what is logged, and what you are responsible for.",
    links: [["/docs/privacy", "Privacy"]],
  },
  {
    title: "Run it yourself",
    text: "From two commands on a laptop to a cluster with alerts, upgrades and backups.",
    links: [
      ["/docs/running", "Running it"],
      ["/docs/operating", "For operators"],
    ],
  },
];

function card({ title, text, links }: Card): Html {
  return html`<section><h3>${title}</h3><p>${text}</p><p>!${each(links, cardLink)}</p></section>
`;
}

const cardLink = ([path, text]: Card["links"][number], i: number): Html =>
  html`${i === 0 ? "" : " · "}<a href="${path}">${text}</a>`;

type Card = { title: string; text: string; links: [path: string, text: string][] };
