import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { type TestContext, test } from "node:test";
import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";
import { Problem } from "@faceline/contracts/http/problem";
import type { LightMyRequestResponse } from "fastify";
import { assertDocumented } from "../openapi/reading.ts";
import { Refusal } from "../refusal.ts";
import { answer, faces, picture, rejected, type Stage, stage, stageKey } from "../stage.ts";
import { answerBrokenCall } from "./broken-calls.ts";

const image = await picture();
const two = { img1: image, img2: image };
const json = { "content-type": "application/json" };

/** One real call for each code. */
const calls: Record<ErrorCode, (t: TestContext) => Promise<LightMyRequestResponse>> = {
  invalid_json: (t) => stage(t).post("/verify", "{", json),
  invalid_request: (t) => stage(t).post("/verify", { ...two, threshold: "0.4" }),
  missing_image: (t) => stage(t).post("/verify", { img1: image }),
  invalid_image: (t) => stage(t).post("/verify", { ...two, img2: "*" }),
  unsupported_image_format: (t) => stage(t).post("/verify", { ...two, img2: "AAAA" }),
  unsupported_image_source: (t) => stage(t).post("/verify", { ...two, img2: "https://example.org/a.jpg" }),
  image_too_small: async (t) => stage(t).post("/verify", { ...two, img1: await picture(15) }),
  no_face_detected: (t) => finding(t, rejected("no_face_detected")).post("/verify", two),
  multiple_faces: (t) =>
    finding(t, faces([1, 0], [0, 1])).post("/verify", { ...two, face_policy: "single_only" }),
  model_not_allowed: (t) => stage(t).post("/verify", { ...two, model_name: "VGG-Face" }),
  detector_not_allowed: (t) => stage(t).post("/verify", { ...two, detector_backend: "opencv" }),
  invalid_distance_metric: (t) => stage(t).post("/verify", { ...two, distance_metric: "manhattan" }),
  invalid_vector: (t) => stage(t).post("/verify", { ...two, img1: [] }),
  dimension_mismatch: (t) => stage(t).post("/verify", { ...two, img1: [1, 2, 3] }),
  too_many_candidates: (t) =>
    stage(t, { settings: { CANDIDATE_VECTORS_MAX: "1" } }).post("/compare", {
      vector: [1, 0],
      candidates: [
        [1, 0],
        [1, 0],
      ],
    }),
  missing_api_key: (t) => stage(t).app.inject({ method: "POST", url: "/verify", payload: two }),
  invalid_api_key: (t) => stage(t).post("/verify", two, { "x-api-key": "guessed" }),
  key_disabled: (t) =>
    stage(t, {
      findKey: async () => ({ ...stageKey, key: { ...stageKey.key, disabled: true } }),
    }).post("/verify", two),
  idempotency_conflict: (t) =>
    stage(t, { claim: async () => ({ kind: "conflict" }) }).post("/verify", two, { "idempotency-key": "a" }),
  rate_limited: (t) =>
    stage(t, { enter: async () => ({ refusal: tooMany, leave() {} }) }).post("/verify", two),
  not_found: (t) => stage(t).app.inject("/nowhere"),
  method_not_allowed: (t) => stage(t).app.inject("/verify"),
  request_too_large: (t) => stage(t, { settings: { BODY_BYTES_MAX: "99" } }).post("/verify", two),
  image_too_large: (t) => stage(t, { settings: { IMAGE_BYTES_MAX: "99" } }).post("/verify", two),
  unsupported_media_type: (t) => stage(t).post("/verify", "<a/>", { "content-type": "application/xml" }),
  internal_error: (t) => failing(t, new Error("a bug")),
  upstream_failed: (t) => finding(t, answer({ kind: "failed", reason: "run_failed" })).post("/verify", two),
  queue_full: (t) => finding(t, shed("queue_too_long")).post("/verify", two),
  queue_timeout: (t) => finding(t, shed("deadline_infeasible")).post("/verify", two),
  not_ready: (t) => stage(t, { serving: () => false }).post("/verify", two),
  model_unavailable: (t) => failing(t, new Refusal("model_unavailable", "No worker.", { retryAfterMs: 1 })),
  dependency_unavailable: (t) =>
    failing(t, new Refusal("dependency_unavailable", "Away.", { retryAfterMs: 1 })),
  upstream_timeout: (t) => finding(t, answer({ kind: "expired", lateByMs: 1 })).post("/verify", two),
};

// That none is missing, the type of `calls` sees to.
for (const [code, call] of Object.entries(calls) as [ErrorCode, (typeof calls)[ErrorCode]][]) {
  test(`${errorTable[code].status} ${code}: by a real call, in the one shape, as documented`, async (t) => {
    const reply = await call(t);
    const problem = Problem.strict().parse(reply.json());
    const { status, title } = errorTable[code];
    assert.deepEqual([reply.statusCode, problem.status, problem.error], [status, status, code]);
    assert.deepEqual([problem.title, problem.type], [title, `/problems/${code}`]);
    assert.equal(problem.request_id, reply.headers["x-request-id"]);
    assert.match(problem.detail, /^\S.*[^.]\.$/);
    if (status === 404 || status === 405) return;
    const path = code === "too_many_candidates" ? "/compare" : "/verify";
    assertDocumented(path, "post", reply);
  });
}

test("Errors: one shape for every path, method and failure", async (t) => {
  const { app } = stage(t);
  const calls: Called[] = [
    { method: "GET", url: "/" },
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
      const reply = await app.inject({ ...call, headers: { ...call.headers, accept } });
      const problem = Problem.strict().parse(reply.json());
      assert.ok(problem.status === reply.statusCode && problem.status >= 400, call.url);
      assert.equal(String(reply.headers["content-type"]).split(";")[0], accept);
    }
  }
});

test("a call without Host, or that expects what is not known, is answered like any other", async (t) => {
  const { app } = stage(t);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const port = (app.server.address() as AddressInfo).port;
  for (const head of ["", "host: a\r\nexpect: miracles\r\n"]) {
    const answered = await lastWords(port, `GET /livez HTTP/1.1\r\nconnection: close\r\n${head}\r\n`);
    assert.match(answered, /^HTTP\/1.1 200 /);
  }
});

test("Errors: the same shape where Node's parser gives up: headers too large, no HTTP, a method that is none", async (t) => {
  const { app } = stage(t);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const bytes: [string, number, ErrorCode][] = [
    [`GET /livez HTTP/1.1\r\nx: ${"a".repeat(70_000)}\r\n\r\n`, 413, "request_too_large"],
    ["GET /livez HTTP/9.9\r\n\r\n", 400, "invalid_request"],
    ["EAT /livez HTTP/1.1\r\nhost: a\r\n\r\n", 400, "invalid_request"],
    ["CONNECT example.org:443 HTTP/1.1\r\nhost: a\r\n\r\n", 400, "invalid_request"],
    [
      "POST /verify HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
      400,
      "invalid_request",
    ],
    [
      "POST /verify HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n",
      400,
      "invalid_request",
    ],
  ];
  for (const [sent, status, code] of bytes) {
    const problem = problemIn(await lastWords((app.server.address() as AddressInfo).port, sent));
    assert.deepEqual([problem.status, problem.error], [status, code], sent.slice(0, 60));
  }
});

test("Errors: the same shape for a call that does not arrive in time", async (t) => {
  const { app } = stage(t);
  app.server.removeAllListeners("connection");
  const served = once(app.server, "connection");
  await app.listen({ host: "127.0.0.1", port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  const [serverSide] = await served;
  answerBrokenCall({ code: "ERR_HTTP_REQUEST_TIMEOUT" }, serverSide, "", 1);
  const problem = problemIn((await socket.setEncoding("utf8").toArray()).join(""));
  assert.deepEqual([problem.error, problem.detail], ["invalid_request", "The call did not arrive in time."]);
});

async function lastWords(port: number, sent: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(sent);
  return (await socket.setEncoding("utf8").toArray()).join("");
}

function problemIn(answered: string): Problem {
  const [head, body] = answered.split("\r\n\r\n");
  const problem = Problem.strict().parse(JSON.parse(body!));
  assert.ok(head!.startsWith(`HTTP/1.1 ${problem.status} `), head);
  assert.ok(head!.toLowerCase().includes(`x-request-id: ${problem.request_id}`), head);
  return problem;
}

const finding = (t: TestContext, found: ReturnType<typeof answer>): Stage =>
  stage(t, { findFaces: async ({ images }) => images.map(() => found) });

const tooMany = new Refusal("rate_limited", "Too many calls.", { retryAfterMs: 1 });

const shed = (reason: "queue_too_long" | "deadline_infeasible") =>
  answer({ kind: "shed", reason, predictedMs: 9, retryAfterMs: 9 });

const failing = (t: TestContext, error: Error) =>
  stage(t, { findFaces: () => Promise.reject(error) }).post("/verify", two);

type Called = { method: Method; url: string; payload?: object | string; headers?: Record<string, string> };
type Method = "GET" | "PUT" | "POST" | "DELETE" | "PROPFIND";
