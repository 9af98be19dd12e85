import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";
import type { ModelCard } from "@faceline/contracts/http/model-card";
import { cardSummary } from "../../tester/card-summary.ts";
import type { Facts } from "../../facts.ts";
import { each, type Html, html } from "@faceline/runtime/design/html";
import { type Column, cardTable } from "../../card-table.ts";
import { apiDocument } from "../api-document.ts";
import { codeBlock, codeChoice } from "../code-block.ts";
import { originOf } from "../highlight.ts";
import { inlineText } from "../inline-text.ts";
import { exampleText, responseExamples } from "../reference/examples.ts";
import { callSnippets } from "../reference/snippets.ts";

/** Tables and examples that guides name in a line of its own, as in `{{errors.4xx}}`. */
export const fragments: Record<string, (facts: Facts) => Html> = {
  "example.request": exampleRequest,
  "example.response": exampleResponse,
  "errors.4xx": () => errorList(4),
  "errors.5xx": () => errorList(5),
  "models.thresholds": ({ models }) => each(models, thresholdTable),
  "models.cards": ({ models, cards }) => each(models, ({ name }) => errorRates(name, cards[name])),
};

export function exampleRequest(facts: Facts): Html {
  const snippets = callSnippets({
    origin: originOf(facts),
    method: "POST",
    path: "/verify",
    keyNeeded: facts.keysNeeded,
    fields: [
      { name: "img1", value: { file: "first.jpg" } },
      { name: "img2", value: { file: "second.jpg" } },
    ],
  });
  return codeChoice({ id: "verify", caption: "Request to /verify", snippets });
}

function exampleResponse(): Html {
  const [example] = responseExamples(apiDocument, "/verify");
  return codeBlock({ caption: "Response", code: exampleText(example?.value), language: "json" });
}

/** Entries of the errors whose status begins with this digit. */
function errorList(digit: number): Html {
  const codes = (Object.keys(errorTable) as ErrorCode[]).filter(
    (code) => Math.floor(errorTable[code].status / 100) === digit,
  );
  return html`<dl class="fields">!${each(codes, errorEntry)}</dl>
<p><a href="/docs/reference#type-Problem">All fields of an error</a>.</p>
`;
}

function errorEntry(code: ErrorCode): Html {
  const { status, when, next } = errorTable[code];
  return html`<div id="${code}"><dt><a href="#${code}"><code>${code}</code></a><span class="kind">${status}</span></dt>
<dd><p>!${inlineText(when)}</p><p><strong>!${inlineText(next)}</strong></p></dd></div>
`;
}

function errorRates(name: string, card: ModelCard | undefined): Html {
  if (card === undefined)
    return html`<p><strong>${name}</strong> was not measured here.</p>
`;
  const { sentence, head, rows, cost } = cardSummary(card);
  const columns = head.map((text, index): Column<string[]> => {
    const content = (row: string[]) => html`${row[index]}`;
    return index === 0 ? { head: text, type: "name", content } : { head: text, content };
  });
  return html`!${cardTable({ label: `Error rates of ${name}`, columns, rows, caption: name })}
<p>${sentence} ${cost}</p>
<ul>!${each(card.weaknesses, ({ text, source }) => html`<li>${text} (${source})</li>`)}</ul>
`;
}

function thresholdTable({ name, title, thresholds, thresholds_from }: Facts["models"][number]): Html {
  const columns: Column<keyof typeof thresholds>[] = [
    { head: "Metric", type: "name", content: (metric) => html`<code>${metric}</code>` },
    { head: "Threshold", type: "number", content: (metric) => html`${thresholds[metric]}` },
    { head: "Where it comes from", content: (metric) => inlineText(thresholds_from[metric]) },
  ];
  const rows = Object.keys(thresholds) as (keyof typeof thresholds)[];
  return cardTable({ label: `Thresholds of ${name}`, columns, rows, caption: `${name}: ${title}` });
}
