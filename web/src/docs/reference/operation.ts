import { each, type Html, html, nothing } from "@faceline/runtime/design/html";
import { codeChoice } from "../code-block.ts";
import { inlineText, paragraphs } from "../inline-text.ts";
import { type ApiResponse, type OpenApi, type Operation, resolve, type Schema } from "./document.ts";
import { exampleCall, type ListedOperation } from "./example-call.ts";
import { exampleBlocks } from "./examples.ts";
import { failurePart } from "./failures.ts";
import { objectFields } from "./fields.ts";
import { callSnippets } from "./snippets.ts";

/** Returns the page of one operation: what it does, its fields and failures, and examples beside them. */
export function operationPage(listed: ListedOperation, context: ReferenceContext): Html {
  const { document, keysNeeded } = context;
  const { method, path, operation } = listed;
  const { operationId: id, summary, description } = operation;
  const response = resolve(document, operation.responses["200"]!);
  const snippets = callSnippets(exampleCall(document, listed, context));
  return html`<div class="operation">
<div class="about">
<h1><span class="method">${method.toUpperCase()}</span> <code>${path}</code></h1>
<p class="lead">!${inlineText(summary)}</p>
!${paragraphs(description ?? "")}
!${keyText(keysNeeded && operation.security.length > 0)}
!${bodyPart(operation, document)}
!${responsePart(id, response, document)}
!${headerPart(operation, response, document)}
!${failurePart(listed, document)}
</div>
<div class="aside">
!${codeChoice({ id, caption: `Request to ${path}`, snippets })}
!${exampleBlocks(listed, response)}
</div>
</div>
`;
}

function keyText(needed: boolean): Html {
  if (!needed) return nothing;
  return html`<p>Needs <a href="/docs/keys">a key</a>: <code>x-api-key: KEY</code> or <code>Authorization: Bearer KEY</code>.</p>`;
}

function bodyPart({ operationId, requestBody }: Operation, document: OpenApi): Html {
  if (requestBody === undefined) return nothing;
  const { "application/json": json, ...forms } = requestBody.content;
  const types = Object.keys(forms);
  return html`<h2 id="body">Body</h2>
<p>JSON, or a form (!${each(types, codeInList)}) with the same fields, where images are files and a list is a name that repeats.</p>
!${objectFields(resolve(document, json!.schema), `${operationId}-body`, "required")}`;
}

const codeInList = (text: string, i: number): Html => html`${i === 0 ? "" : " or "}<code>${text}</code>`;

function responsePart(id: string, { content = {} }: ApiResponse, document: OpenApi): Html {
  return html`<h2 id="response">Response</h2>
!${objectFields(resolve<Schema>(document, content["application/json"]!.schema), `${id}-response`, "optional")}`;
}

/** The names of the headers: the first page of the reference describes them. */
function headerPart({ parameters }: Operation, { headers = {} }: ApiResponse, document: OpenApi): Html {
  const sent = parameters.map((parameter) => {
    const { name, in: place } = resolve(document, parameter);
    if (place !== "header") throw new Error(`The reference does not show parameters in ${place}`);
    return name;
  });
  return html`<h2 id="headers">Headers</h2>
<p>Optional in the request: !${each(sent, (name, i) => headerLink(name, "request", i))}. In the response: !${each(Object.keys(headers), (name, i) => headerLink(name, "response", i))}.</p>`;
}

const headerLink = (name: string, kind: "request" | "response", i: number): Html =>
  html`${i === 0 ? "" : ", "}<a href="/docs/reference#${kind}-header-${name}"><code>${name}</code></a>`;

type ReferenceContext = { document: OpenApi; origin: string; keysNeeded: boolean };
