import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { formLists, formNumbers } from "@faceline/contracts/http/form-fields";
import { readCatalogue } from "@faceline/models/catalogue";
import { Validator } from "@seriousme/openapi-schema-validator";
import { openApiText } from "@faceline/contracts/http/open-api";
import { computeEndpoints, serviceEndpoints } from "../src/endpoints/table.ts";
import { assertDocumented, document, jsonPointer, schemaErrors } from "../testing/openapi-reader.ts";
import { facesAnswer, type TestServer, testKey, testServer } from "../testing/server.ts";
import { formatDocument, openApiDocument } from "./document.ts";

const catalogue = await readCatalogue();
const face = facesAnswer(Array.from({ length: 128 }, (_, i) => (i === 0 ? 1 : 0)));
const computePaths = computeEndpoints.map(({ path }) => path);

test("the committed document is up to date with the table of endpoints and the schemas", () => {
  assert.ok(
    openApiText === formatDocument(openApiDocument()),
    "contracts/openapi.json is not up to date: run `npm run fix` and look at the diff",
  );
});

test("the document is valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors));
});

test("generators of clients read the document: decision 21", () => {
  for (const keyword of ["prefixItems", "propertyNames", "oneOf", "allOf"]) {
    assert.ok(!openApiText.includes(`"${keyword}":`), keyword);
  }
  // Of a field; a response by default is an object.
  assert.doesNotMatch(openApiText, /"default": [^{]/);
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const { description, security, responses } of Object.values(methods)) {
      assert.ok(description && security && Object.keys(responses).some((status) => status[0] === "4"), path);
    }
  }
  const { VerifyForm, CompareForm } = document.components["schemas"] as Record<string, FormSchema>;
  assert.equal(VerifyForm!.properties["img1"]!.format, "binary");
  assert.equal(CompareForm!.properties["candidates"]!.items!.format, "binary");
});

test("GET /openapi.json: the document, without a key", async (t) => {
  const response = await testServer(t).app.inject("/openapi.json");
  assertDocumented("/openapi.json", "get", response);
  assert.equal(response.body, openApiText);
});

test("the document has exactly the paths that the service has without its pages", async (t) => {
  const { app } = testServer(t, { settings: { PAGES: "off" } });
  await app.ready();
  const routes = app.printRoutes({ commonPrefix: false }).matchAll(/(\/\S*) \((?:GET|POST)/g);
  const paths = Array.from(routes, ([, path]) => path!);
  assert.deepEqual(paths.toSorted(), Object.keys(document.paths).toSorted());
});

for (const path of computePaths) {
  test(`${path}: every example request of the document gets the response that the document describes`, async (t) => {
    const { app } = serverOfTheDocument(t);
    const { content } = document.paths[path]!["post"]!.requestBody!;
    for (const [type, { examples }] of Object.entries(content!)) {
      assert.ok(Object.keys(examples!).length > 0, type);
      for (const [name, { value }] of Object.entries(examples!)) {
        const schema = jsonPointer("paths", path, "post", "requestBody", "content", type, "schema");
        assert.equal(schemaErrors(schema, value), "", name);
        const response = await send(app, path, type, value as object);
        assert.equal(response.statusCode, 200, `${type} ${name}: ${response.body}`);
        assertDocumented(path, "post", response);
        const shown =
          document.paths[path]!["post"]!.responses["200"]!.content!["application/json"]!.examples!;
        const [first] = Object.values(shown);
        assert.deepEqual(Object.keys(response.json()), Object.keys(first!.value as object));
      }
    }
  });
}

test("the document and the service both refuse an empty image and no candidates", async (t) => {
  const { post } = testServer(t);
  const wrong = [
    { img: "", candidates: [[1, 0]] },
    { vector: [1, 0], candidates: [] },
  ];
  for (const body of wrong) {
    assert.notEqual(schemaErrors(jsonPointer("components", "schemas", "CompareRequest"), body), "");
    assert.equal((await post("/compare", body)).statusCode, 400);
  }
});

test("the document and the service both accept an x-request-id that is unusable", async (t) => {
  const id = "two words";
  assert.equal(schemaErrors(jsonPointer("components", "parameters", "RequestId", "schema"), id), "");
  const { statusCode, headers } = await testServer(t).app.inject({
    url: "/livez",
    headers: { "x-request-id": id },
  });
  assert.equal(statusCode, 200);
  assert.notEqual(headers["x-request-id"], id);
});

test("the examples of responses and errors match their schemas", () => {
  for (const path of computePaths) {
    for (const [status, response] of Object.entries(document.paths[path]!["post"]!.responses)) {
      const at = response.$ref?.slice(1) ?? jsonPointer("paths", path, "post", "responses", status);
      const [, , kind, name] = at.split("/");
      const { content } = response.$ref === undefined ? response : document.components[kind!]![name!]!;
      const { examples } = content!["application/json"]!;
      for (const { value } of Object.values(examples!)) {
        assert.equal(
          schemaErrors(`${at}${jsonPointer("content", "application/json", "schema")}`, value),
          "",
          at,
        );
      }
    }
  }
});

test("the responses of the public endpoints match the document, while serving and while not", async (t) => {
  for (const serving of [true, false]) {
    const { app } = testServer(t, { isServing: () => serving });
    for (const { path } of serviceEndpoints) {
      assertDocumented(path, "get", await app.inject(path));
    }
  }
});

test("forms parse as numbers and lists exactly the fields that are numbers and lists", () => {
  const schemas = document.components["schemas"] as unknown as Record<string, { properties: object }>;
  const requests = computeEndpoints.flatMap(({ request }) => Object.keys(request));
  const isShown = (name: string) => requests.some((each) => name in schemas[each]!.properties);
  const properties = requests.flatMap((name) =>
    Object.entries(schemas[name]!.properties as Record<string, { type?: string }>),
  );
  const ofType = (...types: string[]) =>
    new Set(properties.filter(([, { type }]) => types.includes(type ?? "")).map(([name]) => name));
  assert.deepEqual(new Set(formNumbers), ofType("number", "integer"));
  // The document has no aliases.
  assert.deepEqual(new Set([...formLists].filter(isShown)), ofType("array"));
});

const serverOfTheDocument = (t: TestContext): TestServer =>
  testServer(t, { catalogue, dispatch: async ({ images }) => images.map(() => face) });

async function send(app: TestServer["app"], path: string, type: string, value: object) {
  const headers = { "x-api-key": testKey };
  if (type === "application/json") return app.inject({ method: "POST", url: path, payload: value, headers });
  const form = new FormData();
  for (const [name, field] of Object.entries(value)) {
    for (const item of [field].flat()) form.append(name, String(item));
  }
  const sent = new Response(form);
  const payload = Buffer.from(await sent.arrayBuffer());
  const contentType = sent.headers.get("content-type")!;
  assert.ok(contentType.startsWith(type));
  return app.inject({
    method: "POST",
    url: path,
    payload,
    headers: { ...headers, "content-type": contentType },
  });
}

type FormSchema = { properties: Record<string, { format?: string; items?: { format?: string } }> };
