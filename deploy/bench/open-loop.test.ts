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
  // Answers nobody before everybody has called: whoever waits for an answer before the next call waits for ever.
  const waiting: (() => void)[] = [];
  const target = await serve(t, (_request, response) => {
    waiting.push(() => response.end("{}"));
    if (waiting.length === due.length) for (const answer of waiting) answer();
  });
  const calls = await openLoop({ kind: "open", target, traffic, warmUpMs: 0, giveUpMs: 30_000 }, () => {});
  assert.deepEqual(
    calls.map(({ ended }) => ended),
    due.map(() => 200),
  );
  // The first has waited for the last one to be sent: from its own instant, not from that one.
  const first = calls.find(({ scheduledAt }) => scheduledAt === due[0])!;
  assert.ok(first.tookMs >= due.at(-1)! - due[0]!);
});

test("what is never answered is given up, and what answers its batch's size is heard", async (t) => {
  const target = await serve(t, (request, response) => {
    request.resume();
    if (request.headers["answer"] === "yes") response.end('{"batch":7,"results":[]}');
  });
  const plan = { kind: "open", traffic, warmUpMs: 0, giveUpMs: 50 } as const;
  const silent = await openLoop({ ...plan, target }, () => {});
  assert.deepEqual(new Set(silent.map(({ ended }) => ended)), new Set(["gave up"]));
  const heard = { ...target, headers: { answer: "yes" } };
  const answered = await openLoop({ ...plan, target: heard, giveUpMs: 30_000 }, () => {});
  assert.deepEqual(new Set(answered.map(({ batch }) => batch)), new Set([7]));
});

test("calls of the warm-up are sent and left out, and its end is told once", async (t) => {
  let asked = 0;
  let told = 0;
  const target = await serve(t, (_request, response) => {
    asked++;
    response.end("{}");
  });
  const plan = { kind: "open", target, traffic, warmUpMs: 150, giveUpMs: 30_000 } as const;
  const calls = await openLoop(plan, () => told++);
  assert.equal(asked, due.length);
  assert.deepEqual(
    calls.map(({ scheduledAt }) => scheduledAt).toSorted((a, b) => a - b),
    due.filter((at) => at >= 150),
  );
  assert.equal(told, 1);
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
