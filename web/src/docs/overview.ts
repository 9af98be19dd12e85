import type { Facts } from "../facts.ts";
import { each, type Html, html } from "@faceline/runtime/design/html";
import type { DocsPage, GuideGroup } from "./docs-page.ts";
import { exampleRequest } from "./guides/fragments.ts";
import { guideGroups } from "./guides/guides.ts";
import { anchorOf } from "./markdown.ts";

/** The first page of the documents: what this is, a first request, and where to continue. */
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
<p>The <a href="/docs/quick-start">quick start</a> explains each step, and the response.</p>
!${each(guideGroups, guideList)}<h2 id="more">More</h2>
<ul><li><a href="/docs/reference">Reference</a>: every endpoint, header and type of the API.</li>
<li><a href="/docs/operating">For operators</a>: from one machine to a cluster with alerts, upgrades and backups.</li></ul>
</div>`,
};

const guideList = ({ title, guides }: GuideGroup): Html => html`<h2 id="${anchorOf(title)}">${title}</h2>
<ul>!${each(guides, ({ path, title, description }) => html`<li><a href="${path}">${title}</a>: ${description}</li>`)}</ul>
`;

const keyText = ({ keysNeeded }: Facts): Html =>
  keysNeeded
    ? html`<a href="/docs/keys">Get an API key</a> and put it into <code>FACELINE_KEY</code>.`
    : html`This service needs no API key.`;
