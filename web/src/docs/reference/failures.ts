import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";
import { type Html, html, nothing } from "@faceline/runtime/design/html";
import { type Column, cardTable } from "../../card-table.ts";
import { inlineText } from "../inline-text.ts";
import { type ApiResponse, type OpenApi, resolve } from "./document.ts";
import type { ListedOperation } from "./example-call.ts";

/** Returns every failure of an operation: status, code, when it happens and what to do. */
export function failurePart({ path, operation }: ListedOperation, document: OpenApi): Html {
  const codes = Object.entries(operation.responses).flatMap(([status, response]) =>
    status === "200" ? [] : codesOf(resolve(document, response)),
  );
  if (codes.length === 0) return nothing;
  return html`<h2 id="errors">Errors</h2>
<p>Every error has the fields of <a href="/docs/reference#type-Problem">Problem</a>, with one of these codes in <code>error</code>.</p>
<details class="more"><summary>${codes.length} error codes</summary>
!${cardTable({ label: `Error codes of ${path}`, columns, rows: codes })}</details>`;
}

const columns: Column<ErrorCode>[] = [
  { head: "Status", type: "number", content: (code) => html`${errorTable[code].status}` },
  {
    head: "Code",
    type: "name",
    content: (code) => html`<a href="/docs/errors#${code}"><code>${code}</code></a>`,
  },
  {
    head: "When it happens, and what to do",
    content: (code) =>
      html`!${inlineText(errorTable[code].when)} <strong>!${inlineText(errorTable[code].next)}</strong>`,
  },
];

/** The codes of a response with a problem: it has an example of each. */
const codesOf = ({ content }: ApiResponse): ErrorCode[] =>
  Object.keys(content?.["application/json"]?.examples ?? {}) as ErrorCode[];
