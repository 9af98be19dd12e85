import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { errorTable } from "@faceline/contracts/http/errors";
import { Problem } from "@faceline/contracts/http/problem";
import { coreWaits } from "@faceline/runtime/starvation";
import type { FastifyInstance } from "fastify";
import { base64Image, testKey, testKeyRecord, testServer } from "../testing/server.ts";
import { ApiError } from "./call/api-error.ts";

const image = await base64Image();
const vectors = { model_name: "SFace", img1: [1, 0], img2: [1, 0] };
const json = { "content-type": "application/json" };
const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

test("x-request-id: a client's own is echoed unchanged, in header and body", async (t) => {
  const { post } = testServer(t);
  for (const id of ["a", "A-z_0.9:x", "1f0e7ac0-5a2b-4c1e-9d55-1f6a5b8c9d10", "x".repeat(128)]) {
    const response = await post("/verify", vectors, { "x-request-id": id });
    assert.deepEqual([response.headers["x-request-id"], response.json().request_id], [id, id]);
    const refused = await post("/verify", {}, { "x-request-id": id });
    assert.deepEqual([refused.headers["x-request-id"], refused.json().request_id], [id, id]);
  }
});

test("an Idempotency-Key is ignored, whatever its value: each request is computed", async (t) => {
  const { post, dispatched } = testServer(t);
  for (const key of ["a", "a", "é", "x".repeat(200)]) {
    const headers = { "idempotency-key": key, "x-request-id": `${dispatched.length}` };
    const response = await post("/verify", { img1: image, img2: image }, headers);
    assert.deepEqual([response.statusCode, response.json().request_id], [200, headers["x-request-id"]]);
  }
  assert.equal(dispatched.length, 4);
});

test("x-request-id: where it is absent or unusable, the service makes a UUIDv7", async (t) => {
  const { app, post } = testServer(t);
  for (const id of ["", "a b", "x".repeat(129), "a,b", "é"]) {
    const response = await post("/verify", vectors, { "x-request-id": id });
    assert.match(
      response.json().request_id,
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    assert.equal(response.headers["x-request-id"], response.json().request_id);
  }
  const [one, other] = [await app.inject("/livez"), await app.inject("/nowhere")];
  assert.notEqual(one.headers["x-request-id"], other.headers["x-request-id"]);
});

test("Keys: checked before the body is read", async (t) => {
  const { app } = testServer(t, {
    findKey: async () => ({ ...testKeyRecord, key: { ...testKeyRecord.key, disabled: true } }),
  });
  const call = (headers: object) =>
    app.inject({ method: "POST", url: "/verify", payload: "{broken", headers: { ...json, ...headers } });
  const missing = await call({});
  assert.deepEqual([missing.statusCode, missing.json().error], [401, "missing_api_key"]);
  assert.equal(missing.headers["www-authenticate"], 'Bearer realm="faceline"');
  const different = await call({ authorization: "Bearer a", "x-api-key": "b" });
  assert.deepEqual([different.statusCode, different.json().error], [401, "invalid_api_key"]);
  assert.equal(different.headers["www-authenticate"], 'Bearer realm="faceline", error="invalid_token"');
  const disabled = await call({ authorization: "Bearer a" });
  assert.deepEqual([disabled.statusCode, disabled.json().error], [403, "key_disabled"]);
});

test("AUTH=off: no key is needed, and web pages of other origins may not call", async (t) => {
  const settings = { AUTH: "off", CORS_ORIGINS: "https://faces.example" };
  const { app, dispatched } = testServer(t, { settings });
  const payload = JSON.stringify({ img1: image, img2: image });
  const call = (headers: object) =>
    app.inject({ method: "POST", url: "/verify", payload, headers: { ...headers } });
  assert.equal((await call(json)).statusCode, 200);
  assert.equal(dispatched[0]?.tenant, "anonymous");
  const unlisted = await call({ ...json, origin: "https://evil.example" });
  assert.deepEqual([unlisted.json().error, unlisted.json().field], ["invalid_request", "origin"]);
  assert.equal(unlisted.headers["access-control-allow-origin"], undefined);
  const withoutPreflight = await call({ origin: "https://faces.example", "content-type": "text/plain" });
  assert.equal(withoutPreflight.json().error, "unsupported_media_type");
  const listed = await call({ ...json, origin: "https://faces.example" });
  assert.equal(listed.statusCode, 200);
  assert.equal(listed.headers["access-control-allow-origin"], "https://faces.example");
});

test("CORS is an allowlist, empty by default", async (t) => {
  const preflight = {
    method: "OPTIONS",
    url: "/verify",
    headers: { origin: "https://faces.example", "access-control-request-method": "POST" },
  } as const;
  const none = await testServer(t).app.inject(preflight);
  assert.deepEqual([none.statusCode, none.headers["access-control-allow-origin"]], [405, undefined]);
  const listed = await testServer(t, { settings: { CORS_ORIGINS: "https://faces.example" } }).app.inject(
    preflight,
  );
  assert.equal(listed.statusCode, 204);
  assert.match(String(listed.headers["access-control-allow-headers"]), /x-api-key/);
});

test("Deadline: 30 s unless configured; `x-request-timeout-ms` sets it, 50 ms to 120 s", async (t) => {
  const { post, dispatched } = testServer(t);
  const body = { img1: image, img2: image };
  for (const ms of ["50", "120000"]) await post("/verify", body, { "x-request-timeout-ms": ms });
  assert.deepEqual(
    dispatched.map(({ deadlineAt, arrivedAt }) => deadlineAt - arrivedAt),
    [50, 120_000],
  );
  for (const ms of ["49", "120001", "1e3", "-5", "soon", "1, 2", "50.5"]) {
    const response = await post("/verify", body, { "x-request-timeout-ms": ms });
    assert.deepEqual([response.statusCode, response.json().field], [400, "x-request-timeout-ms"], ms);
  }
});

test("Deadline: a call whose body arrived too late is not queued", async (t) => {
  t.mock.method(coreWaits, "mainThread", () => new Map());
  let now = 1_000_000;
  const { post, dispatched } = testServer(t, { clock: { now: () => (now += 60) } });
  const { statusCode } = await post(
    "/verify",
    { img1: image, img2: image },
    { "x-request-timeout-ms": "50" },
  );
  assert.deepEqual([statusCode, dispatched.length], [504, 0]);
});

test("traceparent: the response continues the client's trace in a new span, or begins a new trace", async (t) => {
  const { post, dispatched } = testServer(t);
  const body = { img1: image, img2: image };
  const continued = await post("/verify", body, { traceparent });
  assert.match(
    String(continued.headers["traceparent"]),
    /^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/,
  );
  assert.notEqual(continued.headers["traceparent"], traceparent);
  assert.equal(dispatched[0]?.traceparent, continued.headers["traceparent"]);
  for (const unusable of ["", "nonsense", traceparent.replace(/af7\w*/, "0".repeat(31))]) {
    const begun = await post("/verify", vectors, { traceparent: unusable });
    assert.match(String(begun.headers["traceparent"]), /^00-(?!0af765|0{32})[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  }
});

test("Server-Timing has the parts of the time that the guide lists, also where the call is refused", async (t) => {
  const { post } = testServer(t);
  const guide = readFileSync(new URL("../../docs/using/batching.md", import.meta.url), "utf8");
  const names = Array.from(guide.matchAll(/^\| `(\w+)` \|/gm), ([, name]) => name!);
  for (const body of [{ img1: image, img2: image }, { img1: image }, vectors]) {
    const response = await post("/verify", body);
    const traceparent = String(response.headers["traceparent"]);
    assert.match(traceparent, /^00-.*-01$/);
    assert.deepEqual(String(response.headers["server-timing"]).split(", "), [
      ...names.map((name) => `${name};dur=0.00`),
      `traceparent;desc="${traceparent}"`,
    ]);
  }
});

test("Server-Timing names the trace only if it is sampled, and tracestate is passed on with it", async (t) => {
  const { post, dispatched } = testServer(t);
  const body = { img1: image, img2: image };
  const unsampled = await post("/verify", body, { traceparent, tracestate: "vendor=1" });
  assert.doesNotMatch(String(unsampled.headers["server-timing"]), /traceparent/);
  const sampled = { traceparent: traceparent.replace(/00$/, "01"), tracestate: "x".repeat(513) };
  assert.match(String((await post("/verify", body, sampled)).headers["server-timing"]), /traceparent;desc=/);
  await post("/verify", body, { tracestate: "vendor=1" });
  await post("/verify", body, { traceparent, tracestate: "no member" });
  assert.deepEqual(
    dispatched.map(({ tracestate }) => tracestate),
    ["vendor=1", undefined, undefined, undefined],
  );
});

test("Bodies: JSON, also when the content type is missing or text/plain", async (t) => {
  const { app } = testServer(t);
  const call = (type: string | undefined) => {
    const headers = { "x-api-key": testKey, ...(type === undefined ? {} : { "content-type": type }) };
    return app.inject({
      method: "POST",
      url: "/verify",
      payload: Buffer.from(JSON.stringify(vectors)),
      headers,
    });
  };
  for (const type of [undefined, "", "application/json", "application/json; charset=utf-8", "text/plain"]) {
    assert.equal((await call(type)).statusCode, 200, type);
  }
});

test("Bodies: malformed JSON is invalid_json, and repeats nothing of it", async (t) => {
  const { post } = testServer(t);
  const escaped = (word: string) =>
    word.replaceAll(/./g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const disguised = [
    `{"${escaped("__proto__")}": {}}`,
    `{"a": {"_\\u005Fproto__": {}}}`,
    `{"${escaped("constructor")}": {"prototype": {}}}`,
  ];
  for (const body of [
    "",
    "{SECRET",
    '{"__proto__": {}}',
    '{"constructor": {"prototype": {}}}',
    ...disguised,
    "\0",
  ]) {
    const response = await post("/verify", body, json);
    assert.deepEqual([response.statusCode, response.json().error], [400, "invalid_json"], body);
    assert.ok(!response.body.includes("SECRET"));
  }
  for (const body of ["[]", "null", "5", '"text"']) {
    assert.equal((await post("/verify", body, json)).json().error, "invalid_request", body);
  }
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  assert.equal((await post("/verify", deep, json)).json().error, "invalid_request");
});

test("404 and 405 with Allow, whatever the body and the key are", async (t) => {
  const { app } = testServer(t);
  const call = (method: "GET" | "POST" | "DELETE", url: string) =>
    app.inject({
      method,
      url,
      ...(method === "GET" ? {} : { payload: "x", headers: { "content-type": "image/png" } }),
    });
  const nowhere = await call("POST", "/nowhere");
  assert.deepEqual([nowhere.statusCode, nowhere.json().error], [404, "not_found"]);
  const wrong = await call("GET", "/verify?a=b");
  assert.deepEqual(
    [wrong.statusCode, wrong.json().error, wrong.headers.allow],
    [405, "method_not_allowed", "POST"],
  );
  assert.equal((await call("DELETE", "/health")).headers.allow, "GET, HEAD");
  const unreadable = await call("GET", "/%zz");
  assert.deepEqual([unreadable.statusCode, unreadable.json().error], [400, "invalid_request"]);
});

test("Errors: one shape; application/problem+json when Accept names it", async (t) => {
  const { app } = testServer(t, { settings: { PUBLIC_URL: "https://faces.example/" } });
  const response = await app.inject({ url: "/nowhere", headers: { "x-request-id": "mine" } });
  assert.match(String(response.headers["content-type"]), /^application\/json\b/);
  assert.deepEqual(Problem.strict().parse(response.json()), {
    error: "not_found",
    detail: "There is nothing at this path.",
    request_id: "mine",
    status: 404,
    title: errorTable.not_found.title,
    type: "https://faces.example/problems/not_found",
  });
  const problem = await app.inject({
    url: "/nowhere",
    headers: { accept: "text/html, application/problem+json" },
  });
  assert.match(String(problem.headers["content-type"]), /^application\/problem\+json\b/);
});

test("Errors: a bug is internal_error without stack or message, and is logged", async (t) => {
  const reported: unknown[] = [];
  const dispatch = () => Promise.reject(new Error("SECRET in /home/ann"));
  const reportBug = (error: unknown, ids: { request_id: string }) =>
    reported.push((error as Error).message, ids.request_id);
  const { post } = testServer(t, { dispatch, reportBug });
  const response = await post("/verify", { img1: image, img2: image }, { "x-request-id": "mine" });
  assert.deepEqual([response.statusCode, response.json().error], [500, "internal_error"]);
  assert.ok(!/SECRET|home|at /.test(response.body));
  assert.deepEqual(reported, ["SECRET in /home/ann", "mine"]);
});

test("Retry-After: whole seconds, rounded up, at least 1", async (t) => {
  for (const [retryAfterMs, seconds] of [
    [0, "1"],
    [1_000, "1"],
    [1_001, "2"],
    [9_500, "10"],
  ] as const) {
    const dispatch = async () => {
      throw new ApiError("model_unavailable", "No worker has it loaded.", { retryAfterMs });
    };
    const response = await testServer(t, { dispatch }).post("/verify", { img1: image, img2: image });
    assert.deepEqual([response.statusCode, response.headers["retry-after"]], [503, seconds]);
  }
});

test("a client that resets its connection aborts its call; one that waits for the response does not", async (t) => {
  const started = Promise.withResolvers<AbortSignal>();
  const never = Promise.withResolvers<never>();
  const { app } = testServer(t, {
    dispatch: ({ signal }) => {
      started.resolve(signal);
      return never.promise;
    },
  });
  const call = send(await portOf(app));
  const signal = await started.promise;
  assert.equal(signal.aborted, false);
  const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
  // One that ends it is found out later: connections/limit-connections.test.ts.
  call.socket!.resetAndDestroy();
  await aborted;
  never.reject(new Error("cancelled"));

  const patient = testServer(t);
  const [response] = (await once(send(await portOf(patient.app)), "response")) as [IncomingMessage];
  await response.toArray();
  assert.deepEqual([response.statusCode, patient.dispatched[0]?.signal.aborted], [200, false]);
});

async function portOf(app: FastifyInstance): Promise<number> {
  await app.listen({ host: "127.0.0.1", port: 0 });
  return (app.server.address() as AddressInfo).port;
}

function send(port: number): ClientRequest {
  const headers = { ...json, "x-api-key": testKey };
  const call = request({ host: "127.0.0.1", port, method: "POST", path: "/verify", headers });
  call.on("error", () => {});
  call.end(JSON.stringify({ img1: image, img2: image }));
  return call;
}
