import assert from "node:assert/strict";
import { test } from "node:test";
import { apiDocument } from "./api-document.ts";
import { postmanCollection } from "./postman.ts";

const collection = postmanCollection(apiDocument, "https://faces.example");
const requests = collection.item.flatMap(({ item }) => item);
const find = (path: string, name: string) =>
  collection.item.find((folder) => folder.name === path)!.item.find((each) => each.name === name)!.request;

test("the collection has a request for each operation, and for each example of a body", () => {
  assert.deepEqual(
    collection.item.map(({ name }) => name),
    Object.keys(apiDocument.paths),
  );
  const examples = Object.values(apiDocument.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ requestBody }) =>
      Object.values(requestBody?.content ?? {}).flatMap((media) => Object.values(media.examples ?? {})),
    ),
  );
  const withBody = requests.filter(({ request }) => "body" in request);
  assert.equal(withBody.length, examples.length);
  assert.deepEqual(find("/verify", "Image files"), {
    method: "POST",
    url: "{{baseUrl}}/verify",
    body: {
      mode: "formdata",
      formdata: [
        { key: "img1", type: "file", src: [] },
        { key: "img2", type: "file", src: [] },
        { key: "distance_metric", type: "text", value: "cosine" },
      ],
    },
  });
});

test("the key is a variable, and requests that need none send none", () => {
  assert.ok(JSON.stringify(collection.auth).includes('"{{apiKey}}"'));
  assert.deepEqual(find("/livez", "Liveness probe"), {
    method: "GET",
    url: "{{baseUrl}}/livez",
    auth: { type: "noauth" },
  });
  assert.ok(requests.every(({ request }) => request.method === "GET" || !("auth" in request)));
});
