import { each, type Html, html } from "@faceline/runtime/design/html";
import { inlineText, paragraphs } from "../inline-text.ts";
import { enumValuesMax, type Header, type OpenApi, refName, resolve, type Schema } from "./document.ts";
import { type ListedOperation, listOperations } from "./example-call.ts";
import { type Field, fieldList, innerFields } from "./fields.ts";
import { assertKnownKeywords, limitsText, typeText } from "./schema-text.ts";

/**
 * Returns the first page of the reference: the operations, which have a page each, and what they share:
 * headers and named types. Throws if the document holds what the page could not show.
 */
export function reference(document: OpenApi): Html {
  const { parameters, headers } = document.components;
  return html`<div class="prose">
<h1>Reference</h1>
!${paragraphs(document.info.description)}
<p>Generate a client from the <a href="/openapi.json">OpenAPI document</a>, or import it into Postman or Bruno.</p>
<h2 id="endpoints">Endpoints</h2>
<dl class="fields">!${each(listOperations(document), endpointEntry)}</dl>
<h2 id="request-headers">Request headers</h2>
!${fieldList(headerFields("request", Object.values(parameters)), "required")}<h2 id="response-headers">Response headers</h2>
!${fieldList(
    headerFields(
      "response",
      Object.entries(headers).map(([name, header]) => ({ name, ...header })),
    ),
    "required",
  )}</div>
<section class="type" id="types" aria-labelledby="types-title">
<h2 id="types-title"><a href="#types">Types</a></h2>
!${each(namedTypes(document), ([name, schema]) => typeEntry(name, schema))}
</section>`;
}

function endpointEntry({ method, path, operation }: ListedOperation): Html {
  return html`<div id="${operation.operationId}"><dt><a href="/docs/reference/${operation.operationId}"><code>${path}</code></a><span class="method">${method.toUpperCase()}</span></dt>
<dd>!${inlineText(operation.summary)}</dd></div>
`;
}

const headerFields = (kind: string, headers: (Header & { name: string })[]): Field[] =>
  headers.map(({ name, schema, description, required = false }) => ({
    name,
    id: `${kind}-header-${name}`,
    schema,
    description,
    required,
  }));

function typeEntry(name: string, schema: Schema): Html {
  assertKnownKeywords(schema);
  const id = `type-${name}`;
  return html`<article id="${id}" class="prose" aria-labelledby="${id}.title">
<h3 id="${id}.title"><a href="#${id}"><code>${name}</code></a></h3>
<p><span class="kind">!${typeText(schema)}</span> !${inlineText(schema.description ?? "")}</p>
!${typeLimits(schema)}
!${innerFields(schema, id, "optional")}
</article>
`;
}

function typeLimits(schema: Schema): Html {
  return html`<p class="limits">!${limitsText(schema)}</p>`;
}

/** Schemas that others refer to by name. Those of bodies and responses are shown with their operation. */
function namedTypes(document: OpenApi): [string, Schema][] {
  const bodies = listOperations(document).flatMap(({ operation }) => [
    operation.requestBody,
    resolve(document, operation.responses["200"]!),
  ]);
  const shown = new Set(
    bodies.flatMap((body) => Object.values(body?.content ?? {}).map(({ schema }) => refName(schema))),
  );
  return Object.entries(document.components.schemas).filter(
    ([name, { enum: values }]) => !shown.has(name) && (values?.length ?? Infinity) > enumValuesMax,
  );
}
