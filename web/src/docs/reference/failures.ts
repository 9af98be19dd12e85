import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";
import { each, type Html, html, nothing } from "@faceline/runtime/design/html";
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
<div class="wide" tabindex="0" role="region" aria-label="Error codes of ${path}"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">When it happens, and what to do</th></tr></thead>
<tbody>!${each(codes, failureRow)}</tbody>
</table></div></details>`;
}

function failureRow(code: ErrorCode): Html {
  const { status, when, next } = errorTable[code];
  return html`<tr><td class="number">${status}</td><td><a href="/docs/errors#${code}"><code>${code}</code></a></td><td>!${inlineText(when)} <strong>!${inlineText(next)}</strong></td></tr>
`;
}

/** The codes of a response with a problem: it has an example of each. */
const codesOf = ({ content }: ApiResponse): ErrorCode[] =>
  Object.keys(content?.["application/json"]?.examples ?? {}) as ErrorCode[];
