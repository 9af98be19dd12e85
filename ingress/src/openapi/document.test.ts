import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { formLists, formNumbers } from "@faceline/contracts/http/form-fields";
import { readCatalogue } from "@faceline/models/catalogue";
import { Validator } from "@seriousme/openapi-schema-validator";
import { faces, key, type Stage, stage } from "../stage.ts";
import { openApiDocument } from "./document.ts";
import { assertDocumented, document, faultsOf, pointerTo } from "./reading.ts";
import { readSnapshot, snapshotOf } from "./snapshot.ts";

const catalogue = await readCatalogue();
const face = faces(Array.from({ length: 128 }, (_, i) => (i === 0 ? 1 : 0)));
const compute = ["/verify", "/represent", "/compare"];

test("the committed document is the one that the schemas make", () => {
  assert.ok(
    readSnapshot() === snapshotOf(openApiDocument()),
    "ingress/openapi.json is not up to date: run `npm run fix` and look at the diff",
  );
});

test("the document is valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors));
});

test("GET /openapi.json: the document, without a key", async (t) => {
  const reply = await stage(t).app.inject("/openapi.json");
  assertDocumented("/openapi.json", "get", reply);
  assert.equal(reply.body, readSnapshot());
});

test("the document has every path that the service has, and no other", async (t) => {
  const { app } = stage(t);
  await app.ready();
  const routes = app.printRoutes({ commonPrefix: false }).matchAll(/(\/\S*) \((?:GET|POST)/g);
  const paths = Array.from(routes, ([, path]) => path!);
  assert.deepEqual(paths.toSorted(), Object.keys(document.paths).toSorted());
});

for (const path of compute) {
  test(`${path}: every example of the document is answered as it says`, async (t) => {
    const { app } = stageOfTheDocument(t);
    const { content } = document.paths[path]!["post"]!.requestBody!;
    for (const [type, { examples }] of Object.entries(content!)) {
      assert.ok(Object.keys(examples!).length > 0, type);
      for (const [name, { value }] of Object.entries(examples!)) {
        const schema = pointerTo("paths", path, "post", "requestBody", "content", type, "schema");
        assert.equal(faultsOf(schema, value), "", name);
        const reply = await send(app, path, type, value as object);
        assert.equal(reply.statusCode, 200, `${type} ${name}: ${reply.body}`);
        assertDocumented(path, "post", reply);
        const shown =
          document.paths[path]!["post"]!.responses["200"]!.content!["application/json"]!.examples!;
        const [first] = Object.values(shown);
        assert.deepEqual(Object.keys(reply.json()), Object.keys(first!.value as object));
      }
    }
  });
}

test("/represent?format=array is in the document too", async (t) => {
  const { post } = stageOfTheDocument(t);
  const examples =
    document.paths["/represent"]!["post"]!.requestBody!.content!["application/json"]!.examples!;
  assertDocumented(
    "/represent",
    "post",
    await post("/represent?format=array", Object.values(examples)[0]!.value),
  );
});

test("the document is as strict as the service: no empty picture, and of sources one", async (t) => {
  const { post } = stage(t);
  const candidates = [[1, 0]];
  const wrong = [
    { candidates },
    { img: "", candidates },
    { img: "AAAA", vector: [1, 0], candidates },
    { img: "AAAA", source_vector: [1, 0], candidates },
  ];
  for (const body of wrong) {
    assert.notEqual(faultsOf(pointerTo("components", "schemas", "CompareRequest"), body), "");
    assert.equal((await post("/compare", body)).statusCode, 400);
  }
});

test("the document is as lenient as the service: an x-request-id that is of no use is no fault", async (t) => {
  const id = "two words";
  assert.equal(faultsOf(pointerTo("components", "parameters", "RequestId", "schema"), id), "");
  const { statusCode, headers } = await stage(t).app.inject({
    url: "/livez",
    headers: { "x-request-id": id },
  });
  assert.equal(statusCode, 200);
  assert.notEqual(headers["x-request-id"], id);
});

test("the examples of answers and errors are what their schemas say", () => {
  for (const path of compute) {
    for (const [status, response] of Object.entries(document.paths[path]!["post"]!.responses)) {
      const at = response.$ref?.slice(1) ?? pointerTo("paths", path, "post", "responses", status);
      const [, , kind, name] = at.split("/");
      const { content } = response.$ref === undefined ? response : document.components[kind!]![name!]!;
      const { examples } = content!["application/json"]!;
      for (const { value } of Object.values(examples!)) {
        assert.equal(faultsOf(`${at}${pointerTo("content", "application/json", "schema")}`, value), "", at);
      }
    }
  }
});

test("GET /health, /livez, /readyz and /capabilities answer as the document says, well or not", async (t) => {
  for (const serving of [true, false]) {
    const { app } = stage(t, { serving: () => serving });
    for (const path of ["/health", "/livez", "/readyz", "/capabilities"]) {
      assertDocumented(path, "get", await app.inject(path));
    }
  }
});

test("forms read as numbers and lists the fields that are numbers and lists", () => {
  const schemas = document.components["schemas"] as unknown as Record<string, { properties: object }>;
  const properties = ["VerifyRequest", "RepresentRequest", "CompareRequest"].flatMap((name) =>
    Object.entries(schemas[name]!.properties as Record<string, { type?: string }>),
  );
  const ofType = (...types: string[]) =>
    new Set(properties.filter(([, { type }]) => types.includes(type ?? "")).map(([name]) => name));
  assert.deepEqual(new Set(formNumbers), ofType("number", "integer"));
  assert.deepEqual(new Set(formLists), ofType("array"));
});

const stageOfTheDocument = (t: TestContext): Stage =>
  stage(t, { catalogue, findFaces: async ({ images }) => images.map(() => face) });

async function send(app: Stage["app"], path: string, type: string, value: object) {
  const headers = { "x-api-key": key };
  if (type === "application/json") return app.inject({ method: "POST", url: path, payload: value, headers });
  const form = type === "multipart/form-data" ? new FormData() : new URLSearchParams();
  for (const [name, given] of Object.entries(value)) {
    for (const one of [given].flat()) form.append(name, String(one));
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
