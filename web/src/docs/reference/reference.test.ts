// Covers the files of this folder: the whole reference, made of the service's own document.
import assert from "node:assert/strict";
import { test } from "node:test";
import { errorTable } from "@faceline/contracts/http/errors";
import { apiDocument } from "../api-document.ts";
import { type OpenApi, type Schema, withEnumsInPlace } from "./document.ts";
import { listOperations } from "./example-call.ts";
import { exampleText } from "./examples.ts";
import { operationPage } from "./operation.ts";
import { reference } from "./reference.ts";
import { assertKnownKeywords } from "./schema-text.ts";

/** The first page and those of all operations, one behind the other. */
function render(original: OpenApi): string {
  const document = withEnumsInPlace(original);
  const context = { document, origin: "http://127.0.0.1:8080", keysNeeded: true };
  const operations = listOperations(document).map((listed) => operationPage(listed, context));
  return [reference(document), ...operations].join("");
}
const page = render(apiDocument);
const shown = new Set(Array.from(page.matchAll(/<code>([^<]*)<\/code>/g), ([, code]) => code!));

/** A copy with something changed. */
function changed(change: (document: OpenApi) => void): OpenApi {
  const copy = structuredClone(apiDocument);
  change(copy);
  return copy;
}

/** Every schema inside a part of the document, examples aside. */
function schemasIn(part: unknown, isSchema = false): Schema[] {
  if (typeof part !== "object" || part === null) return [];
  const inside = Object.entries(part).flatMap(([key, value]) => {
    if (key === "examples" || key === "default" || key === "enum" || key === "const") return [];
    if (isSchema && (key === "properties" || key === "patternProperties")) {
      return Object.values(value as object).flatMap((field) => schemasIn(field, true));
    }
    const list = Array.isArray(value) && isSchema;
    if (list) return value.flatMap((option) => schemasIn(option, true));
    if (key === "schemas") return Object.values(value as object).flatMap((schema) => schemasIn(schema, true));
    return schemasIn(value, isSchema || key === "schema");
  });
  return isSchema && !Array.isArray(part) ? [part, ...inside] : inside;
}

const schemas = schemasIn(apiDocument);

test("every path and method of the document has a page with a stable address", () => {
  for (const { method, path, operation } of listOperations(apiDocument)) {
    assert.ok(page.includes(`<a href="/docs/reference/${operation.operationId}"><code>${path}</code>`), path);
    assert.ok(page.includes(`${method.toUpperCase()}</span> <code>${path}</code></h1>`), path);
  }
});

test("every field, parameter and header of the document is on the page", () => {
  const fields = schemas.flatMap(({ properties = {} }) => Object.keys(properties));
  const { parameters, headers } = apiDocument.components;
  const names = [...fields, ...Object.values(parameters).map(({ name }) => name), ...Object.keys(headers)];
  assert.ok(new Set(names).size > 80);
  const statusHeaders = new Set(["Retry-After", "WWW-Authenticate", "Allow"]);
  for (const name of names) assert.ok(shown.has(name) || statusHeaders.has(name), name);
});

test("every field has a description", () => {
  const fields = schemas.flatMap(({ properties = {} }) => Object.entries(properties));
  for (const [name, { description }] of fields) assert.ok(description, name);
});

test("every enum value is on the page", () => {
  const values = schemas.flatMap((schema) => schema.enum ?? []);
  assert.ok(values.length > 40);
  for (const value of values) assert.ok(shown.has(String(value)), String(value));
});

test("every error code is on the page, with what to do", () => {
  for (const code of Object.keys(errorTable)) {
    assert.ok(
      page.includes(`<a href="/docs/errors#${code}"><code>${code}</code></a>`) || shown.has(code),
      code,
    );
  }
  for (const { path, operation } of listOperations(apiDocument)) {
    if (operation.security.length === 0) continue;
    const section = page.split(`<code>${path}</code></h1>`)[1]!.split("<h1>")[0]!;
    assert.match(section, /queue_full<\/code><\/a><\/th><td[^\n]*<strong>Wait for <code>Retry-After/);
  }
});

test("a schema keyword that the reference does not show ends the rendering", () => {
  for (const schema of schemas) assert.doesNotThrow(() => assertKnownKeywords(schema));
  const withKeyword = changed(({ components }) => {
    Object.assign(components.schemas["VerifyRequest"]!.properties!["threshold"]!, { multipleOf: 2 });
  });
  assert.throws(() => render(withKeyword), /does not show multipleOf/);
});

test("a method or a reference that cannot be shown ends the rendering", () => {
  const withMethod = changed(({ paths }) => {
    paths["/verify"]!["patch"] = paths["/verify"]!["post"]!;
  });
  assert.throws(() => render(withMethod), /does not show patch/);
  const withLoose = changed(({ paths }) => {
    paths["/livez"]!["get"]!.parameters.push({ $ref: "#/components/parameters/Nothing" });
  });
  assert.throws(() => render(withLoose), /Nothing leads nowhere/);
});

test("limits are words", () => {
  const field = (id: string) =>
    page
      .split(`id="${id}"`)[1]!
      .split("</dd>")[0]!
      .replaceAll(/<[^>]*>/g, "");
  assert.match(field("verify-body-threshold"), /number.*At least 0\./s);
  assert.match(
    field("verify-body-distance_metric"),
    /Also accepted as metric, similarity_metric\.\s*One of cosine, euclidean, euclidean_l2\./,
  );
  assert.match(field("request-header-x-request-timeout-ms"), /At least 50\. At most 120000\./);
  assert.match(field("compare-body-candidates"), /list of Candidate.*At least 1 item\./s);
  assert.match(field("capabilities-response-model_details"), /object of .* by name/);
  assert.match(field("verify-response-facial_areas-img1"), /FacialArea or null/);
});

test("examples keep their form, without long texts and lists", () => {
  const text = exampleText({
    img: "A".repeat(80),
    eyes: [1, 2],
    vector: Array.from({ length: 9 }, (_, i) => i),
  });
  assert.equal(text, `{\n  "img": "${"A".repeat(32)}…",\n  "eyes": [1, 2],\n  "vector": [0, 1, 2, …]\n}`);
});
