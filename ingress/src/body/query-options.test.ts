import assert from "node:assert/strict";
import { test } from "node:test";
import { base64Image, testServer } from "../../testing/server.ts";

const image = await base64Image();
const file = Buffer.from(image, "base64");
const form = "application/x-www-form-urlencoded";
const bodies = {
  "/verify": { img1: [1.5, 0], img2: [1.5, 0] },
  "/represent": { img: image },
  "/compare": { vector: [1.5, 0], candidates: [[1.5, 0]] },
};
const paths = Object.keys(bodies) as (keyof typeof bodies)[];

test("a field in the query is refused beside every body, also misspelt, as an alias or a list", async (t) => {
  const { post, dispatched } = testServer(t);
  const queries = {
    "/verify":
      "threshold=0.0001 threshold=1&threshold=2 utm_source=a&amp;threshold[0]=0.1 threshold Threshold=1 tolerance=0.6 metric=euclidean face_policy=nonsense img1_path=http://example.org/a.jpg",
    "/represent": "img=http://example.org/a.jpg l2_normalize=true limit=1 format=array&max_faces=1",
    "/compare": "threshold[]=0.1 threshhold=1 metric=euclidean source_vector=[1,0] face_index=1",
  };
  const anywhere =
    " model_name=Nonsense modelName=SFace model=SFace detector_backend=ssd align=false anti_spoofing=true";
  for (const path of paths) {
    const fields = Object.entries<unknown>(bodies[path]).map(([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
    for (const query of `${queries[path]}${anywhere}`.split(" ")) {
      const field = /(?:&amp;|&(?=max)|^)(?!utm|format)(\w+)/.exec(query)![1];
      for (const response of [
        await post(`${path}?${query}`, bodies[path]),
        await post(`${path}?${query}`, new URLSearchParams(fields).toString(), { "content-type": form }),
      ]) {
        const { status, error, field: named, detail } = response.json();
        assert.deepEqual([status, error, named], [400, "invalid_request", field], query);
        assert.match(detail, /^\w+ is not read from the query: (write \w+, and )?send it in the body\.$/);
      }
    }
  }
  for (const name of ["limit", "det_prob_threshold", "prediction_count", "face_plugins", "status"]) {
    const { field, detail } = (await post(`/verify?${name}=1`, bodies["/verify"])).json();
    assert.equal(field, name);
    assert.match(detail, /CompreFace/);
  }
  assert.equal(dispatched.length, 0);
});

test("other names in the query are ignored, and `format` of /represent is read", async (t) => {
  const { post } = testServer(t);
  const noise = "utm_source=mail&_=1800000000000&v=2&cb=3&fbclid=a&lang=en&__proto__=1&a[b]=c&";
  for (const path of paths) {
    const { request_id: _1, ...plain } = (await post(path, bodies[path])).json();
    const { request_id: _2, ...response } = (
      await post(`${path}?${noise}format=object`, bodies[path])
    ).json();
    assert.deepEqual(response, plain);
  }
  assert.ok(Array.isArray((await post(`/represent?${noise}format=array`, bodies["/represent"])).json()));
  for (const query of ["Format=array", "formatt=array", "format[]=array"]) {
    const { detail } = (await post(`/represent?${query}`, bodies["/represent"])).json();
    assert.match(detail, /is not read from the query: write format\.$/);
  }
});

test("beside a body that is an image itself, options are taken from the query as from a form", async (t) => {
  const { post, dispatched } = testServer(t);
  const send = async (query: string, type: string) =>
    (await post(`/represent?${query}`, file, { "content-type": type })).json();
  const good =
    "max_faces=1&l2_normalize=True&align=0&model_name=SFace&embedding_format=base64&format=array&v=2";
  for (const type of ["image/jpeg", "application/octet-stream", "application/json", form]) {
    const [{ model_name, embedding }] = await send(good, type);
    assert.deepEqual([model_name, embedding], ["SFace", "AACAPwAAAAA="]);
    const { facesMax, align } = dispatched.pop()!.options;
    assert.deepEqual([facesMax, align], [1, false], type);
  }
  const wrong =
    "max_faces=abc max_faces=0 max_faces=1&max_faces=2 max_faces[]=1&max_faces=1 max_faces= l2_normalize l2_normalize=perhaps model_name=Nonsense Model=SFace limit=1 anti_spoofing=true embedding_format=hex img=http://example.org/a.jpg img_path=a.jpg det_prob_threshold=0.9";
  for (const query of wrong.split(" ")) {
    const { status, field } = await send(query, "image/jpeg");
    assert.deepEqual([status, field], [400, /^\w+/.exec(query)![0]], query);
  }
  assert.equal(dispatched.length, 0);
});
