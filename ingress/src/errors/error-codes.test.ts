import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { type TestContext, test } from "node:test";
import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";
import { Problem } from "@faceline/contracts/http/problem";
import { oddRequests, rawResponse } from "@faceline/runtime/testing/odd-requests";
import type { LightMyRequestResponse } from "fastify";
import { assertDocumented } from "../../testing/openapi-reader.ts";
import {
  answerWith,
  base64Image,
  facesAnswer,
  rejectedAnswer,
  type TestServer,
  testKey,
  testKeyRecord,
  testServer,
} from "../../testing/server.ts";
import { ApiError } from "../call/api-error.ts";
import { refusal } from "../call/refusal-cause.ts";
import { answerMalformedRequest } from "./malformed-requests.ts";

// Covers the table of contracts/src/http/errors.ts: a real call for every code.

const image = await base64Image();
const twoImages = { img1: image, img2: image };
const json = { "content-type": "application/json" };

/** One real call for each error code. The type of `calls` refuses a missing code. */
const calls: Record<ErrorCode, (t: TestContext) => Promise<LightMyRequestResponse>> = {
  invalid_json: (t) => testServer(t).post("/verify", "{", json),
  invalid_request: (t) => testServer(t).post("/verify", { ...twoImages, threshold: "0.4" }),
  missing_image: (t) => testServer(t).post("/verify", { img1: image }),
  invalid_image: (t) => testServer(t).post("/verify", { ...twoImages, img2: "*" }),
  unsupported_image_format: (t) => testServer(t).post("/verify", { ...twoImages, img2: "AAAA" }),
  unsupported_image_source: (t) =>
    testServer(t).post("/verify", { ...twoImages, img2: "https://example.org/a.jpg" }),
  image_too_small: async (t) => testServer(t).post("/verify", { ...twoImages, img1: await base64Image(15) }),
  no_face_detected: (t) => serverWithAnswer(t, rejectedAnswer("no_face_detected")).post("/verify", twoImages),
  multiple_faces: (t) =>
    serverWithAnswer(t, facesAnswer([1, 0], [0, 1])).post("/verify", {
      ...twoImages,
      face_policy: "single_only",
    }),
  low_quality: (t) => testServer(t).post("/verify", { ...twoImages, min_face_px: 1 }),
  model_not_allowed: (t) => testServer(t).post("/verify", { ...twoImages, model_name: "VGG-Face" }),
  detector_not_allowed: (t) => testServer(t).post("/verify", { ...twoImages, detector_backend: "opencv" }),
  invalid_distance_metric: (t) =>
    testServer(t).post("/verify", { ...twoImages, distance_metric: "manhattan" }),
  invalid_vector: (t) => testServer(t).post("/verify", { ...twoImages, img1: [] }),
  dimension_mismatch: (t) => testServer(t).post("/verify", { ...twoImages, img1: [1, 2, 3] }),
  missing_model_version: (t) => testServer(t).post("/verify", { ...twoImages, img1: [1, 0], model_name: null }),
  too_many_candidates: (t) =>
    testServer(t, { settings: { CANDIDATE_VECTORS_MAX: "1" } }).post("/compare", {
      vector: [1, 0],
      candidates: [
        [1, 0],
        [1, 0],
      ],
    }),
  missing_api_key: (t) => testServer(t).app.inject({ method: "POST", url: "/verify", payload: twoImages }),
  invalid_api_key: (t) => testServer(t).post("/verify", twoImages, { "x-api-key": "guessed" }),
  key_disabled: (t) =>
    testServer(t, {
      findKey: async () => ({ ...testKeyRecord, key: { ...testKeyRecord.key, disabled: true } }),
    }).post("/verify", twoImages),
  rate_limited: (t) =>
    testServer(t, { acquireTeamSlot: async () => ({ error: tooMany, release() {} }) }).post(
      "/verify",
      twoImages,
    ),
  not_found: (t) => testServer(t).app.inject("/nowhere"),
  method_not_allowed: (t) => testServer(t).app.inject("/verify"),
  request_too_large: (t) => testServer(t, { settings: { BODY_BYTES_MAX: "99" } }).post("/verify", twoImages),
  image_too_large: (t) => testServer(t, { settings: { IMAGE_BYTES_MAX: "99" } }).post("/verify", twoImages),
  unsupported_media_type: (t) => testServer(t).post("/verify", "<a/>", { "content-type": "application/xml" }),
  internal_error: (t) => failingCall(t, new Error("a bug")),
  upstream_failed: (t) =>
    serverWithAnswer(t, answerWith({ kind: "failed", reason: "run_failed" })).post("/verify", twoImages),
  queue_full: (t) => serverWithAnswer(t, shed("queue_too_long")).post("/verify", twoImages),
  queue_timeout: (t) => serverWithAnswer(t, shed("deadline_infeasible")).post("/verify", twoImages),
  not_ready: (t) => testServer(t, { isServing: () => false }).post("/verify", twoImages),
  model_unavailable: (t) => failingCall(t, refusal("workers")),
  dependency_unavailable: (t) => failingCall(t, refusal("batcher")),
  upstream_timeout: (t) =>
    serverWithAnswer(t, answerWith({ kind: "expired", lateByMs: 1 })).post("/verify", twoImages),
};

for (const [code, call] of Object.entries(calls) as [ErrorCode, (typeof calls)[ErrorCode]][]) {
  test(`${errorTable[code].status} ${code}: a real call gets it, in the one shape and as documented`, async (t) => {
    const response = await call(t);
    const problem = Problem.strict().parse(response.json());
    const { status, title } = errorTable[code];
    assert.deepEqual([response.statusCode, problem.status, problem.error], [status, status, code]);
    assert.deepEqual([problem.title, problem.type], [title, `/problems/${code}`]);
    assert.equal(problem.request_id, response.headers["x-request-id"]);
    assert.match(problem.detail, /^\S.*[^.]\.$/);
    if (status === 404 || status === 405) return;
    const path = code === "too_many_candidates" ? "/compare" : "/verify";
    assertDocumented(path, "post", response);
  });
}

test("Errors: one shape for every path, method and failure", async (t) => {
  const { app } = testServer(t);
  const calls: Call[] = [
    { method: "GET", url: "/nowhere" },
    { method: "PUT", url: "/verify", payload: "x" },
    { method: "PROPFIND", url: "/verify" },
    { method: "DELETE", url: "/openapi.json" },
    { method: "POST", url: "/analyze", payload: {} },
    { method: "GET", url: "/verify/" },
    { method: "GET", url: "//verify" },
    { method: "GET", url: "/%E0%A4%A" },
    { method: "GET", url: `/${"a".repeat(10_000)}` },
    { method: "POST", url: "/livez", headers: { "content-length": "x" } },
  ];
  for (const call of calls) {
    for (const accept of ["application/json", "application/problem+json"]) {
      const response = await app.inject({ ...call, headers: { ...call.headers, accept } });
      const problem = Problem.strict().parse(response.json());
      assert.ok(problem.status === response.statusCode && problem.status >= 400, call.url);
      assert.equal(String(response.headers["content-type"]).split(";")[0], accept);
    }
  }
});

test("a request without Host, or with an unknown Expect, is answered like any other", async (t) => {
  const { app } = testServer(t);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const port = (app.server.address() as AddressInfo).port;
  for (const head of ["", "host: a\r\nexpect: miracles\r\n"]) {
    const response = await rawResponse(port, `GET /livez HTTP/1.1\r\nconnection: close\r\n${head}\r\n`);
    assert.match(response, /^HTTP\/1.1 200 /);
  }
});

test("Errors: the same shape where Node's parser fails: large headers, no HTTP, another protocol", async (t) => {
  const { app } = testServer(t);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const post = "POST /verify HTTP/1.1\r\nhost: a\r\n";
  const get = "GET /livez HTTP/1.1\r\n";
  const told: Record<string, string[]> = {
    "The headers are too large": [`${get}x: ${"a".repeat(70_000)}\r\n\r\n`],
    "The request is not valid HTTP": [
      "GET /livez HTTP/9.9\r\n\r\n",
      "EAT /livez HTTP/1.1\r\nhost: a\r\n\r\n",
      `${post}content-length: 1\r\ncontent-length: 2\r\n\r\n`,
      `${post}transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n`,
    ],
    "The request is a CONNECT": ["CONNECT example.org:443 HTTP/1.1\r\nhost: a\r\n\r\n"],
    "The request is HTTP/2, and this service speaks HTTP/1.1": ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04"],
    "The request begins with the PROXY protocol": [
      `PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n${get}host: a\r\n\r\n`,
      `\r\n\r\n\0\r\nQUIT\n!\x11\0\f${"\0".repeat(12)}${get}host: a\r\n\r\n`,
    ],
    "The request is TLS, and this port speaks plain HTTP": ["\x16\x03\x01\0l\x01\0\0h"],
  };
  for (const [detail, requests] of Object.entries(told)) {
    for (const sent of requests) {
      const problem = problemIn(await rawResponse((app.server.address() as AddressInfo).port, sent));
      assert.equal(problem.error, sent.length > 70_000 ? "request_too_large" : "invalid_request");
      assert.ok(problem.detail.startsWith(detail), problem.detail);
    }
  }
});

test("Errors: the same shape for whatever odd request, on a connection of its own", async (t) => {
  const { app } = testServer(t, { settings: { PAGES: "off" } });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  for (const [name, sent] of Object.entries(oddRequests)) {
    const response = await rawResponse(port, sent);
    assert.match(response, /^HTTP/, name);
    const problem = problemIn(response);
    assert.ok(problem.status >= 400 && problem.status < 500, name);
  }
});

test("Errors: the same shape for a request that does not arrive in time", async (t) => {
  const { app } = testServer(t);
  app.server.removeAllListeners("connection");
  const served = once(app.server, "connection");
  await app.listen({ host: "127.0.0.1", port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  const [serverSide] = await served;
  answerMalformedRequest({ code: "ERR_HTTP_REQUEST_TIMEOUT" }, serverSide, "", 1);
  const problem = problemIn((await socket.setEncoding("utf8").toArray()).join(""));
  assert.deepEqual(
    [problem.error, problem.detail],
    ["invalid_request", "The request did not arrive in time."],
  );
});

test("a connection that sent garbage is given back after its answer, also if the client does not close it", async (t) => {
  const { app } = testServer(t);
  const closed: Promise<unknown>[] = [];
  app.server.on("connection", (socket) => closed.push(once(socket, "close")));
  await app.listen({ host: "127.0.0.1", port: 0 });
  const garbage = [
    "hello\r\n\r\n",
    `GET /livez HTTP/1.1\r\nx: ${"a".repeat(20_000)}\r\n\r\n`,
    "CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n",
  ];
  const port = (app.server.address() as AddressInfo).port;
  const clients = garbage.map((bytes) => {
    const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    client.write(bytes);
    return client.on("error", () => {});
  });
  t.after(() => {
    for (const client of clients) client.destroy();
  });
  for (const client of clients) assert.match((await client.toArray()).join(""), /^HTTP\/1.1 4\d\d /);
  assert.equal(closed.length, garbage.length);
  await Promise.all(closed);
});

test("garbage behind a request that is still computed is refused after its answer, not in its place", async (t) => {
  const computing = Promise.withResolvers<void>();
  const refused = Promise.withResolvers<void>();
  const { app } = testServer(t, {
    async dispatch({ images }) {
      computing.resolve();
      await refused.promise;
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  app.server.on("clientError", () => refused.resolve());
  await app.listen({ host: "127.0.0.1", port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  const body = JSON.stringify(twoImages);
  const head = `host: a\r\nx-api-key: ${testKey}\r\ncontent-type: application/json`;
  socket.write(`POST /verify HTTP/1.1\r\n${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  await computing.promise;
  socket.write("garbage\r\n\r\n");
  const responses = (await socket.setEncoding("utf8").toArray()).join("");
  assert.deepEqual(responses.match(/HTTP\/1\.1 \d\d\d/g), ["HTTP/1.1 200", "HTTP/1.1 400"]);
});

function problemIn(response: string): Problem {
  const [head, body] = response.split("\r\n\r\n");
  const problem = Problem.strict().parse(JSON.parse(body!));
  assert.ok(head!.startsWith(`HTTP/1.1 ${problem.status} `), head);
  assert.ok(head!.toLowerCase().includes(`x-request-id: ${problem.request_id}`), head);
  return problem;
}

const serverWithAnswer = (t: TestContext, answer: ReturnType<typeof answerWith>): TestServer =>
  testServer(t, { dispatch: async ({ images }) => images.map(() => answer) });

const tooMany = new ApiError("rate_limited", "Too many calls.", { retryAfterMs: 1 });

const shed = (reason: "queue_too_long" | "deadline_infeasible") =>
  answerWith({ kind: "shed", reason, predictedMs: 9, retryAfterMs: 9 });

const failingCall = (t: TestContext, error: Error) =>
  testServer(t, { dispatch: () => Promise.reject(error) }).post("/verify", twoImages);

type Call = { method: Method; url: string; payload?: object | string; headers?: Record<string, string> };
type Method = "GET" | "PUT" | "POST" | "DELETE" | "PROPFIND";
