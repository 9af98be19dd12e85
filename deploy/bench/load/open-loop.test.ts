import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type TestContext } from "node:test";
import { poisson } from "./arrivals.ts";
import { openLoop } from "./open-loop.ts";

const traffic = { seed: 3, perSecond: 200, forMs: 300 };
const due = poisson(traffic);

test("calls are sent when they are due, whether or not any was answered", async (t) => {
  // No call is answered before all were received: a client that waits for an answer would wait for ever.
  const waiting: (() => void)[] = [];
  const target = await serve(t, (_request, response) => {
    waiting.push(() => response.end("{}"));
    if (waiting.length === due.length) for (const answer of waiting) answer();
  });
  const calls = await openLoop({ target, traffic, warmUpMs: 0, giveUpMs: 30_000 }, () => {});
  assert.deepEqual(
    calls.map(({ status }) => status),
    due.map(() => 200),
  );
  // The first waited until the last was sent, counted from when the first was due.
  const first = calls.find(({ dueMs }) => dueMs === due[0])!;
  assert.ok(first.tookMs >= due.at(-1)! - due[0]!);
});

test("a call without an answer is given up, and the batch size in an answer is read", async (t) => {
  const target = await serve(t, (request, response) => {
    request.resume();
    if (request.headers["answer"] === "yes") response.end('{"batch":7,"results":[]}');
  });
  const plan = { traffic, warmUpMs: 0, giveUpMs: 50 } as const;
  const silent = await openLoop({ ...plan, target }, () => {});
  assert.deepEqual(new Set(silent.map(({ status }) => status)), new Set(["gave up"]));
  const answering = { ...target, headers: { answer: "yes" } };
  const answered = await openLoop({ ...plan, target: answering, giveUpMs: 30_000 }, () => {});
  assert.deepEqual(new Set(answered.map(({ batch }) => batch)), new Set([7]));
});

test("calls of the warm-up are sent and left out, and its end is reported once", async (t) => {
  let received = 0;
  let warmUpEnds = 0;
  const target = await serve(t, (_request, response) => {
    received++;
    response.end("{}");
  });
  const plan = { target, traffic, warmUpMs: 150, giveUpMs: 30_000 } as const;
  const calls = await openLoop(plan, () => warmUpEnds++);
  assert.equal(received, due.length);
  assert.deepEqual(
    calls.map(({ dueMs }) => dueMs).toSorted((a, b) => a - b),
    due.filter((at) => at >= 150),
  );
  assert.equal(warmUpEnds, 1);
});

async function serve(t: TestContext, listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, headers: {}, bodies: ["{}"] };
}
