import { each, type Html, html } from "@faceline/runtime/design/html";
import { inlineText, paragraphs } from "../inline-text.ts";
import { enumValuesMax, type OpenApi, refName, resolve, type Schema, withEnumsInPlace } from "./document.ts";
import { listOperations } from "./example-call.ts";
import { innerFields } from "./fields.ts";
import { operationSection, type ReferenceContext } from "./operation.ts";
import { assertKnownKeywords, limitsText, typeText } from "./schema-text.ts";

/**
 * Returns the reference of an API: its operations and named types, with every field, limit, failure and
 * example of the document. Throws where the document holds what it could not show.
 */
export function reference(context: ReferenceContext): Html {
  const document = withEnumsInPlace(context.document);
  return html`<div class="prose">
<h1>Reference</h1>
!${paragraphs(document.info.description)}
<p>Generate a client from the <a href="/openapi.json">OpenAPI document</a>, or import it into Postman or Bruno.</p>
</div>
!${each(listOperations(document), (listed) => operationSection(listed, { ...context, document }))}
<section class="type" id="types" aria-labelledby="types-title">
<h2 id="types-title"><a href="#types">Types</a></h2>
!${each(namedTypes(document), ([name, schema]) => typeEntry(name, schema))}
</section>`;
}

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
