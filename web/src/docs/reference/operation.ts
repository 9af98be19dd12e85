import { each, type Html, html, nothing } from "@faceline/runtime/design/html";
import { codeChoice } from "../code-block.ts";
import { inlineText, paragraphs } from "../inline-text.ts";
import { type ApiResponse, type OpenApi, type Operation, resolve, type Schema } from "./document.ts";
import { exampleCall, type ListedOperation } from "./example-call.ts";
import { exampleBlocks } from "./examples.ts";
import { failurePart } from "./failures.ts";
import { fieldList, objectFields } from "./fields.ts";
import { callSnippets } from "./snippets.ts";

/** Returns the section of one operation: what it does, its fields and failures, and examples beside them. */
export function operationSection(listed: ListedOperation, context: ReferenceContext): Html {
  const { document, keysNeeded } = context;
  const { method, path, operation } = listed;
  const { operationId: id, summary, description } = operation;
  const response = resolve(document, operation.responses["200"]!);
  const snippets = callSnippets(exampleCall(document, listed, context));
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-title">
<div class="about">
<h2 id="${id}-title"><a href="#${id}"><span class="method">${method.toUpperCase()}</span> <code>${path}</code></a></h2>
<p class="lead">!${inlineText(summary)}</p>
!${paragraphs(description ?? "")}
!${keyText(keysNeeded && operation.security.length > 0)}
!${parameterPart(operation, document)}
!${bodyPart(operation, document)}
!${responsePart(id, response, document)}
!${failurePart(listed, document)}
</div>
<div class="aside">
!${codeChoice({ id, caption: `Request to ${path}`, snippets })}
!${exampleBlocks(listed, response)}
</div>
</section>
`;
}

function keyText(needed: boolean): Html {
  if (!needed) return nothing;
  return html`<p>Needs <a href="/docs/keys">a key</a>: <code>x-api-key: KEY</code> or <code>Authorization: Bearer KEY</code>.</p>`;
}

function parameterPart({ operationId, parameters }: Operation, document: OpenApi): Html {
  const fields = parameters.map((parameter) => {
    const { name, in: place, schema, description, required = false } = resolve(document, parameter);
    return { name, id: `${operationId}-${place}-${name}`, schema, description, required, place };
  });
  const inHeaders = fields.filter(({ place }) => place === "header");
  const inQuery = fields.filter(({ place }) => place === "query");
  const elsewhere = fields.find(({ place }) => place !== "header" && place !== "query");
  if (elsewhere !== undefined)
    throw new Error(`The reference does not show parameters in ${elsewhere.place}`);
  return html`!${titledFields("Query", inQuery)}!${titledFields("Headers", inHeaders)}`;
}

function titledFields(title: string, fields: Parameters<typeof fieldList>[0]): Html {
  return fields.length === 0 ? nothing : html`<h3>${title}</h3>!${fieldList(fields, "required")}`;
}

function bodyPart({ operationId, requestBody }: Operation, document: OpenApi): Html {
  if (requestBody === undefined) return nothing;
  const { "application/json": json, ...forms } = requestBody.content;
  const types = Object.keys(forms);
  return html`<h3>Body</h3>
<p>JSON, or a form (!${each(types, codeInList)}) with the same fields, where images are files and a list is a name that repeats.</p>
!${objectFields(resolve(document, json!.schema), `${operationId}-body`, "required")}`;
}

const codeInList = (text: string, i: number): Html => html`${i === 0 ? "" : " or "}<code>${text}</code>`;

function responsePart(id: string, { headers = {}, content = {} }: ApiResponse, document: OpenApi): Html {
  const fields = Object.entries(headers).map(([name, part]) => {
    const { schema, description, required = false } = resolve(document, part);
    return { name, id: `${id}-response-header-${name}`, schema, description, required };
  });
  return html`<h3>Response</h3>
!${objectFields(resolve<Schema>(document, content["application/json"]!.schema), `${id}-response`, "optional")}
<details class="more"><summary>${fields.length} response headers</summary>!${fieldList(fields, "required")}</details>`;
}

export type ReferenceContext = { document: OpenApi; origin: string; keysNeeded: boolean };
