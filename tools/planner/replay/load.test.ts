// Covers load-thread.ts, service-client.ts and replayed-calls.ts too.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import test, { type TestContext } from "node:test";
import { LaneId } from "@faceline/contracts/wire/ids";
import { type Trace, TraceBuilder } from "../trace/trace.ts";
import { replayTrace } from "./load.ts";
import { stockPictures } from "./picture-stock.ts";
import { outcomesOf, replayOutcome } from "./replayed-calls.ts";

const photograph = readFileSync(join(import.meta.dirname, "../../../web/src/samples/ada-1.jpg"));

test("a call has its pictures, lane, deadline and the key of its tenant, at the path for so many pictures", async (t) => {
  const received: Received[] = [];
  const url = await serve(t, (call, response) => {
    received.push(call);
    response.end("{}");
  });
  const calls = await replay(url, [1, 2, 4]);
  assert.equal(calls.count("answered"), 3);
  const byPath = new Map(received.map((each) => [each.path, each]));
  assert.deepEqual([...byPath.keys()].toSorted(), ["/compare", "/represent", "/verify"]);
  const { headers, body } = byPath.get("/verify")!;
  assert.deepEqual([body["model_name"], body["detector_backend"]], ["Dlib", "tiny"]);
  assert.equal(Buffer.from(body["img2"] as string, "base64").length, 5_000);
  assert.deepEqual([headers["x-api-key"], headers["x-request-timeout-ms"]], ["key-b", "120000"]);
  assert.equal((byPath.get("/compare")!.body["candidates"] as unknown[]).length, 3);
});

test("calls are sent when they are due although none before them was answered", async (t) => {
  let waiting: ServerResponse[] = [];
  const url = await serve(t, (_, response) => {
    // The server answers nobody until all calls have come.
    waiting.push(response);
    if (waiting.length < 5) return;
    for (const each of waiting) each.end("{}");
    waiting = [];
  });
  assert.equal((await replay(url, [1, 1, 1, 1, 1])).count("answered"), 5);
});

test("a call above the limit of those in flight is not sent, and counted", async (t) => {
  const waiting: ServerResponse[] = [];
  const url = await serve(t, (_, response) => {
    waiting.push(response);
    if (waiting.length === 2) for (const each of waiting) each.end("{}");
  });
  // All are due at one instant.
  const calls = await replay(url, [1, 1, 1], { inFlightMax: 2, everyMs: 0 });
  assert.deepEqual([calls.count("answered"), calls.count("unsent")], [2, 1]);
});

test("a connection that breaks is a failed call, and times are those of the answered calls", async (t) => {
  const url = await serve(t, ({ path }, response) => {
    if (path === "/verify") response.destroy();
    else response.end("{}");
  });
  const { calls, outcomes, p50Ms, p99Ms } = outcomesOf(await replay(url, [1, 2, 1]));
  assert.deepEqual([calls, outcomes.answered, outcomes.failed], [3, 2, 1]);
  assert.ok(p50Ms > 0 && p99Ms >= p50Ms);
});

test("how a call ended follows from its status, its error and its deadline", () => {
  assert.equal(replayOutcome(200, undefined, false), "answered");
  assert.equal(replayOutcome(200, undefined, true), "late");
  assert.equal(replayOutcome(400, "no_face_detected", false), "answered");
  assert.equal(replayOutcome(400, "invalid_image", false), "failed");
  assert.equal(replayOutcome(429, "rate_limited", false), "limited");
  assert.equal(replayOutcome(503, "queue_timeout", false), "shed");
  assert.equal(replayOutcome(503, "dependency_unavailable", false), "failed");
  assert.equal(replayOutcome(504, "upstream_timeout", false), "expired");
  assert.equal(replayOutcome(undefined, undefined, false), "failed");
});

async function replay(url: string, pictures: number[], { inFlightMax = 100, everyMs = 5 } = {}) {
  const trace = traceOf(pictures, everyMs);
  const stock = await stockPictures(trace, [photograph], () => {});
  return replayTrace({
    trace,
    stock,
    plan: { url, keys: ["key-a", "key-b"], inFlightMax },
    progress: () => {},
  });
}

function traceOf(pictures: number[], everyMs: number): Trace {
  const builder = new TraceBuilder();
  const lane = LaneId.parse("Dlib/tiny");
  for (const [index, count] of pictures.entries()) {
    const sizes = Array.from({ length: count }, () => ({ bytes: 5_000, pixels: 10_000 }));
    builder.add({ atMs: index * everyMs, tenant: index, lane, timeBudgetMs: 120_000, pictures: sizes });
  }
  return builder.build();
}

async function serve(t: TestContext, answer: (call: Received, response: ServerResponse) => void) {
  const server = createServer((request: IncomingMessage, response) => {
    void json(request).then((body) =>
      answer(
        { path: request.url!, headers: request.headers, body: body as Record<string, unknown> },
        response,
      ),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Received = { path: string; headers: IncomingMessage["headers"]; body: Record<string, unknown> };
