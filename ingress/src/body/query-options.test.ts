import assert from "node:assert/strict";
import { test } from "node:test";
import { base64Image, testKey, testServer } from "../../testing/server.ts";

const image = await base64Image();
const file = Buffer.from(image, "base64");
const form = "application/x-www-form-urlencoded";
const inputs = {
  "/verify": { img1: [1.5, 0], img2: [1.5, 0] },
  "/represent": { img: image },
  "/compare": { vector: [1.5, 0], candidates: [[1.5, 0]] },
} as const;
const paths = Object.keys(inputs) as (keyof typeof inputs)[];

test("a field in the query is refused beside every body, also misspelt, as an alias or a list", async (t) => {
  const { app, post, dispatched } = testServer(t);
  const cases: [query: string, field: string, path?: string][] = [
    ["threshold=0.0001", "threshold", "/verify"],
    ["threshold=1&threshold=2", "threshold", "/verify"],
    ["threshold[]=0.1", "threshold", "/compare"],
    ["utm_source=mail&amp;threshold[0]=0.1", "threshold", "/verify"],
    ["threshold", "threshold", "/verify"],
    ["Threshold=1", "Threshold", "/verify"],
    ["threshhold=1", "threshhold", "/compare"],
    ["tolerance=0.6", "tolerance", "/verify"],
    ["metric=euclidean", "metric", "/verify"],
    ["metric=euclidean", "metric", "/compare"],
    ["face_policy=nonsense", "face_policy", "/verify"],
    ["img1_path=http://example.org/a.jpg", "img1_path", "/verify"],
    ["img=http://example.org/a.jpg", "img", "/represent"],
    ["l2_normalize=true", "l2_normalize", "/represent"],
    ["limit=1", "limit", "/represent"],
    ["model_name=Nonsense", "model_name"],
    ["modelName=Dlib", "modelName"],
    ["model=Dlib", "model"],
    ["detector_backend=ssd", "detector_backend"],
    ["align=false", "align"],
    ["anti_spoofing=true", "anti_spoofing"],
  ];
  for (const [query, field, only] of cases) {
    for (const path of paths.filter((each) => only === undefined || each === only)) {
      const reply = (await post(`${path}?${query}`, inputs[path])).json();
      assert.deepEqual([reply.status, reply.error, reply.field], [400, "invalid_request", field], query);
      assert.match(reply.detail, /^\w+ is not read from the query: (write \w+, and )?send it in the body\.$/);
      const fields = Object.entries(inputs[path]).map(([name, value]): [string, string] => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ]);
      const sent = { "x-api-key": testKey, "content-type": form };
      const payload = new URLSearchParams(fields).toString();
      const asForm = await app.inject({ method: "POST", url: `${path}?${query}`, headers: sent, payload });
      assert.equal(asForm.json().field, field);
    }
  }
  assert.equal(dispatched.length, 0);
});

test("options of CompreFace's query that have no counterpart are refused by name", async (t) => {
  const { post } = testServer(t);
  for (const name of ["limit", "det_prob_threshold", "prediction_count", "face_plugins", "status"]) {
    const reply = (await post(`/verify?${name}=1`, inputs["/verify"])).json();
    assert.deepEqual([reply.status, reply.field], [400, name]);
    assert.match(reply.detail, /CompreFace/);
  }
});

test("other names in the query are ignored, and `format` of /represent is read", async (t) => {
  const { post } = testServer(t);
  const noise = "utm_source=mail&utm_medium=x&_=1800000000000&v=2&cb=3&fbclid=a&lang=en&__proto__=1&a[b]=c&";
  for (const path of paths) {
    const plain = (await post(path, inputs[path])).json();
    const { request_id: _id, ...reply } = (await post(`${path}?${noise}&format=object`, inputs[path])).json();
    assert.deepEqual({ ...reply, request_id: plain.request_id }, plain);
  }
  assert.ok(Array.isArray((await post(`/represent?${noise}format=array`, inputs["/represent"])).json()));
  for (const query of ["Format=array", "formatt=array", "format[]=array"]) {
    const { status, detail } = (await post(`/represent?${query}`, inputs["/represent"])).json();
    assert.equal(status, 400);
    assert.match(detail, /is not read from the query: write format\.$/);
  }
});

test("beside a body that is an image itself, options are taken from the query as from a form", async (t) => {
  const { app, dispatched } = testServer(t);
  const types = ["image/jpeg", "application/octet-stream", "application/json", form];
  const send = async (query: string, type = types[0]!) => {
    const headers = { "x-api-key": testKey, "content-type": type };
    return (await app.inject({ method: "POST", url: `/represent?${query}`, headers, payload: file })).json();
  };
  for (const type of types) {
    const query =
      "max_faces=1&l2_normalize=True&align=0&model_name=Dlib&embedding_format=float&format=array&v=2";
    const [{ model_name, embedding }] = await send(query, type);
    assert.deepEqual([model_name, embedding], ["Dlib", [1, 0]]);
    const { facesMax, align } = dispatched.at(-1)!.options;
    assert.deepEqual([facesMax, align], [1, false], type);
  }
  const sent = dispatched.length;
  for (const [query, field] of [
    ["max_faces=abc", "max_faces"],
    ["max_faces=0", "max_faces"],
    ["max_faces=1&max_faces=2", "max_faces"],
    ["max_faces[]=1&max_faces=1", "max_faces"],
    ["max_faces=", "max_faces"],
    ["l2_normalize", "l2_normalize"],
    ["l2_normalize=perhaps", "l2_normalize"],
    ["model_name=Nonsense", "model_name"],
    ["model=Dlib", "model"],
    ["limit=1", "limit"],
    ["anti_spoofing=true", "anti_spoofing"],
    ["embedding_format=hex", "embedding_format"],
    ["img=http://example.org/a.jpg", "img"],
    ["img_path=a.jpg", "img_path"],
    ["det_prob_threshold=0.9", "det_prob_threshold"],
  ] as const) {
    const reply = await send(query);
    assert.deepEqual([reply.status, reply.field], [400, field], query);
  }
  assert.equal(dispatched.length, sent);
});
