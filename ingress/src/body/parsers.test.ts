import assert from "node:assert/strict";
import { test } from "node:test";
import { base64Image, type TestServer, testKey, testServer } from "../../testing/server.ts";

const image = await base64Image();
const bytes = Buffer.from(image, "base64");
const json = { "content-type": "application/json" };

test("Bodies: multipart forms, with files under the same field names", async (t) => {
  const { app, dispatched } = testServer(t);
  const form = new FormData();
  form.set("img1", new Blob([bytes], { type: "image/jpeg" }), "one.jpg");
  form.set("img2_path", `data:image/jpeg;base64,${image}`);
  form.set("threshold", "0.25");
  form.set("align", "False");
  form.set("model_name", "");
  const response = await postForm(app, "/verify", form);
  assert.deepEqual([response.statusCode, response.json().threshold], [200, 0.25]);
  assert.ok(dispatched[0]!.images.every((sent) => sent.equals(bytes)));
  assert.equal(dispatched[0]!.options.align, false);
});

test("Bodies: urlencoded forms", async (t) => {
  const { app, dispatched } = testServer(t);
  const form = new URLSearchParams({ img: image, max_faces: "3", l2_normalize: "true", other: "ignored" });
  const response = await postForm(app, "/represent", form);
  assert.equal(response.statusCode, 200);
  assert.ok(dispatched[0]!.images[0]!.equals(bytes));
  assert.equal(dispatched[0]!.options.facesMax, 3);
});

test("Bodies: fields of candidates may repeat, as texts, files, vectors and lists", async (t) => {
  const { app } = testServer(t);
  const form = new FormData();
  form.set("model_name", "SFace");
  form.set("source_vector", "[1, 0]");
  form.append("candidates", "[0, 1]");
  form.append("candidates", new Blob([bytes]), "two.jpg");
  form.append("candidates", image);
  form.append("candidates", '{"id": "ann", "vector": [1, 0]}');
  const { results } = (await postForm(app, "/compare", form)).json();
  const shown = results.map(({ id, distance }: { id: string; distance: number }) => [id, distance]);
  assert.deepEqual(shown, [
    ["0", 1],
    ["1", 0],
    ["2", 0],
    ["ann", 0],
  ]);
  for (const [candidates, count] of [
    ["[[1, 0], [0, 1]]", 2],
    ["[1, 0]", 1],
    [image, 1],
  ] as const) {
    const fields = { model_name: "SFace", vector: "[1,0]", candidates };
    const response = await postForm(app, "/compare", new URLSearchParams(fields));
    assert.equal(response.json().results.length, count);
  }
});

test("Bodies: the errors of a form name its fields", async (t) => {
  const { app } = testServer(t);
  const wrong: [Record<string, string | string[] | Blob>, string, string | undefined][] = [
    [{ img1: image }, "missing_image", "img2"],
    [{ img1: image, img2: new Blob([]) }, "missing_image", "img2"],
    [{ img1: image, img2: new Blob(["a text file"]) }, "unsupported_image_format", "img2"],
    [{ img1: image, img2: new Blob([bytes.subarray(0, 40)]) }, "invalid_image", "img2"],
    [{ img1: image, img2: "[1," }, "invalid_json", undefined],
    [{ img1: image, img2: "[1,2,3]" }, "dimension_mismatch", "img2"],
    [{ img1: image, img2: [image, image] }, "invalid_request", undefined],
    [{ img1: image, img2: image, threshold: "much" }, "invalid_request", "threshold"],
    [{ img1: image, img2: image, model_name: new Blob(["SFace"]) }, "invalid_request", "model_name"],
  ];
  for (const [fields, code, field] of wrong) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      for (const item of [value].flat()) form.append(name, item);
    }
    const response = await postForm(app, "/verify", form);
    const { error, field: actualField, index } = response.json();
    assert.deepEqual([error, actualField, index], [code, field, field === "img2" ? 1 : undefined]);
  }
});

test("Limits hold for forms: bytes of an image and a body, fields, candidates", async (t) => {
  const small = testServer(t, { settings: { IMAGE_BYTES_MAX: String(bytes.length - 1) } }).app;
  const form = new FormData();
  form.set("img", new Blob([bytes]), "one.jpg");
  assert.equal((await postForm(small, "/represent", form)).json().error, "image_too_large");
  const short = testServer(t, { settings: { BODY_BYTES_MAX: "300" } }).app;
  assert.equal((await postForm(short, "/represent", form)).json().error, "request_too_large");

  const { app } = testServer(t);
  for (const kind of [FormData, URLSearchParams]) {
    const many = (nameOf: (i: number) => string) => {
      const form = new kind();
      form.append("vector", "[1,0]");
      form.append("vector_b", "[1,0]");
      for (let i = 0; i < 1_200; i++) form.append(nameOf(i), "[1,0]");
      return postForm(app, "/compare", form);
    };
    assert.equal((await many(() => "candidates")).json().error, "too_many_candidates");
    const response = (await many((i) => `other ${i}`)).json();
    assert.deepEqual(
      [response.error, response.detail],
      ["invalid_request", "A form takes at most 1114 fields."],
    );
  }
});

test("a multipart body that is cut off anywhere is refused at once", async (t) => {
  const { app } = testServer(t);
  const form = new FormData();
  form.set("img1", new Blob(["x"], { type: "image/jpeg" }), "one.jpg");
  form.set("align", "true");
  const { payload, headers } = await encoded(form);
  const closing = payload.lastIndexOf("--");
  for (let end = 0; end < closing; end++) {
    const response = await app.inject({
      method: "POST",
      url: "/verify",
      payload: payload.subarray(0, end),
      headers,
    });
    assert.equal(response.statusCode, 400, `${end} bytes`);
    assert.ok(["invalid_request", "invalid_json", "missing_image"].includes(response.json().error));
  }
  const unbound = { ...headers, "content-type": "multipart/form-data" };
  const response = await app.inject({ method: "POST", url: "/verify", payload, headers: unbound });
  assert.deepEqual([response.statusCode, response.json().error], [400, "invalid_request"]);
});

test("Bodies: any other content type is 415, and so is a compressed body", async (t) => {
  const { post } = testServer(t);
  const call = async (headers: Record<string, string>) => {
    const response = await post("/verify", Buffer.from("{}"), headers);
    return [response.statusCode, response.json().error];
  };
  for (const type of ["text/html", "nonsense", "multipart/mixed; boundary=a"]) {
    assert.deepEqual(await call({ "content-type": type }), [415, "unsupported_media_type"]);
  }
  const gzip = { ...json, "content-encoding": "gzip" };
  assert.deepEqual(await call(gzip), [415, "unsupported_media_type"]);
  assert.deepEqual(await call({ ...gzip, "x-api-key": "guessed" }), [401, "invalid_api_key"]);
  assert.deepEqual(await call({ ...json, "transfer-encoding": "gzip, chunked" }), [
    415,
    "unsupported_media_type",
  ]);
  for (const none of ["identity", "Identity", ""]) {
    assert.deepEqual(await call({ ...json, "content-encoding": none }), [400, "missing_image"]);
  }
  assert.deepEqual(await call({ ...json, "transfer-encoding": "Chunked" }), [400, "missing_image"]);
});

test("Limits: what a body holds is counted before it is parsed", async (t) => {
  const { post } = testServer(t);
  const codeOf = async (url: string, body: string) => {
    const response = await post(url, body, json);
    assert.ok(response.statusCode === 400, `${response.statusCode}`);
    return response.json().error;
  };
  const zeros = `[0${",0".repeat(5_000_000)}]`;
  assert.equal(await codeOf("/verify", `{"img1": ${zeros}, "img2": [1, 0]}`), "invalid_vector");
  const lists = `[[]${",[]".repeat(100_000)}]`;
  assert.equal(await codeOf("/compare", `{"vector": [1, 0], "candidates": ${lists}}`), "too_many_candidates");
  assert.equal(await codeOf("/compare", `{"vector": [1, 0], "vector_b": ${lists}}`), "too_many_candidates");
  assert.equal(await codeOf("/verify", `{"other": ${lists}}`), "invalid_request");
  assert.equal(await codeOf("/verify", "[".repeat(1_000_000)), "invalid_request");
  assert.equal(await codeOf("/verify", '{"a":'.repeat(1_000_000)), "invalid_request");
  const keys = Array.from({ length: 100_000 }, (_, i) => `"key ${i}": 0`).join();
  assert.equal(await codeOf("/verify", `{${keys}}`), "invalid_request");
});

test("a /compare of as many vectors as allowed, but longer than any enabled model's, is refused before it is parsed", async (t) => {
  const { post } = testServer(t);
  const compare = (length: number) => {
    const vector = Array.from({ length }, () => 0.5);
    return post("/compare", { vector, candidates: Array.from({ length: 1_000 }, () => vector) });
  };
  const response = await compare(128);
  assert.deepEqual([response.statusCode, response.json().error], [400, "invalid_vector"]);
  assert.match(response.json().detail, /^The body holds more than \d+ numbers: /);
  assert.equal((await compare(2)).statusCode, 200);
});

test("an error about a vector of more than 4,096 numbers names its field; a candidate fails alone", async (t) => {
  const { post } = testServer(t);
  const long = Array.from({ length: 4_097 }, () => 0);
  const { error, field, index } = (await post("/verify", { img1: [1, 0], img2: long })).json();
  assert.deepEqual([error, field, index], ["invalid_vector", "img2", 1]);
  const { results } = (await post("/compare", { vector: [1, 0], candidates: [long, [1, 0]] })).json();
  assert.deepEqual([results[0].error, results[1].distance], ["invalid_vector", 0]);
});

test("of a key that occurs twice the last one counts; bytes that are not UTF-8 are invalid_json", async (t) => {
  const { post } = testServer(t);
  const response = await post(
    "/verify",
    '{"img1": [0, 1], "img1": [1, 0], "img2": [1, 0], "model_name": "SFace"}',
    json,
  );
  assert.equal(response.json().distance, 0);
  const latin = Buffer.from('{"img1": "é"}', "latin1");
  assert.equal((await post("/verify", latin, json)).json().error, "invalid_json");
});

test("a multipart body of empty parts is refused before they are parsed", async (t) => {
  const { app } = testServer(t);
  const headers = { "content-type": "multipart/form-data; boundary=a", "x-api-key": testKey };
  for (const part of ["\r\n--a\r\n\r\n", "\r\n--a-"]) {
    const response = await app.inject({
      method: "POST",
      url: "/verify",
      payload: part.repeat(10_000),
      headers,
    });
    assert.equal(response.json().detail, "The multipart body contains its boundary too often.");
  }
});

test("files of megabytes arrive whole through a form", async (t) => {
  const { app, dispatched } = testServer(t);
  const large = Buffer.alloc(9_000_000);
  bytes.copy(large);
  const form = new FormData();
  for (const name of ["img1", "img2"]) form.set(name, new Blob([large]), "large.jpg");
  assert.equal((await postForm(app, "/verify", form)).statusCode, 200);
  assert.ok(dispatched[0]!.images.every((sent) => sent.equals(large)));
});

test("a vector in a form is a list, Base64 of float32, or a file with float32 numbers", async (t) => {
  const { app } = testServer(t);
  const bytes = Buffer.from(Float32Array.of(0, 1).buffer);
  for (const vector of ["[0, 1]", bytes.toString("base64"), new Blob([bytes])]) {
    const form = new FormData();
    form.set("vector", vector);
    form.set("candidates", "[[1, 0]]");
    form.set("model_name", "SFace");
    assert.equal((await postForm(app, "/compare", form)).json().best_match?.distance, 1);
  }
});

test("a form that comes in pieces: images are whole, and a vector outlives the memory that both came in", async (t) => {
  const { app, dispatched } = testServer(t, { settings: { AUTH: "off" } });
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  const large = Buffer.concat([bytes, Buffer.alloc(300_000, 1)]);
  // Of four offsets, one lets a view of the file be a vector.
  for (const padding of ["", "a", "aa", "aaa"]) {
    const form = new FormData();
    form.set("note", `-${padding}`);
    form.set("vector", new Blob([Float32Array.of(1, 0)]));
    form.set("candidates", new Blob([large]));
    form.set("model_name", "SFace");
    const response = await fetch(`${address}/compare`, { method: "POST", body: form });
    const { best_match } = (await response.json()) as { best_match?: { distance: number } };
    assert.equal(best_match?.distance, 0);
    assert.ok(dispatched.pop()!.images[0]!.equals(large));
  }
});

test("names that could reach a prototype are unknown fields in a form", async (t) => {
  const { app } = testServer(t);
  const names = { __proto__x: "1", constructor: "2", toString: "3", hasOwnProperty: "4" };
  const form = new URLSearchParams({ img1: image, img2: image, ...names });
  form.append("__proto__", '{"align": false}');
  assert.equal((await postForm(app, "/verify", form)).statusCode, 200);
  assert.equal("align" in {}, false);
});

async function encoded(form: FormData | URLSearchParams) {
  const sent = new Response(form);
  const headers = { "content-type": sent.headers.get("content-type")!, "x-api-key": testKey };
  return { payload: Buffer.from(await sent.arrayBuffer()), headers };
}

async function postForm(app: TestServer["app"], url: string, form: FormData | URLSearchParams) {
  return app.inject({ method: "POST", url, ...(await encoded(form)) });
}
