import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type TestContext } from "node:test";
import { answeredPerSecond, assertAnswered, closedLoop, countByStatus } from "./closed-loop.ts";

test("that many calls are in flight, bodies are sent in turn, and calls of the warm-up are not counted", async (t) => {
  const { url, received } = await serve(t, { together: 4, onRound: () => t.mock.timers.tick(50) });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const instants: string[] = [];
  let receivedAtWarm = 0;
  const target = { url, headers: {}, bodies: ["a", "b", "c"] };
  const { calls } = await closedLoop(
    { target, inFlight: 4, warmUp: { forMs: 50 }, counted: { forMs: 50 }, giveUpMs: 60_000 },
    {
      warm() {
        instants.push("warm");
        receivedAtWarm = received.length;
      },
      over: () => instants.push("over"),
    },
  );
  assert.deepEqual(instants, ["warm", "over"]);
  // The server answers nobody until four calls wait: with fewer in flight all would have given up.
  assert.deepEqual([...new Set(calls.map(({ status }) => status))], [200]);
  assert.deepEqual(received.slice(0, 4).toSorted(), ["a", "a", "b", "c"]);
  // The first round ends the warm-up, before its answers; the second one ends the counted time.
  assert.deepEqual([receivedAtWarm, received.length, calls.length], [4, 8, 4]);
});

test("phases that are given in calls count exactly as many, with the bodies in turn", async (t) => {
  const { url, received } = await serve(t, { together: 1 });
  const target = { url, headers: {}, bodies: ["a", "b", "c"] };
  const { calls, tookMs } = await closedLoop({
    target,
    inFlight: 1,
    warmUp: { calls: 2 },
    counted: { calls: 3 },
    giveUpMs: 60_000,
  });
  assert.equal(calls.length, 3);
  assert.deepEqual(received, ["a", "b", "c", "a", "b"]);
  assert.deepEqual(countByStatus(calls), { "200": 3 });
  assert.equal(answeredPerSecond({ calls, tookMs }), 3_000 / tookMs);
});

test("a call that was not answered with 200 is an error that says how it ended", () => {
  assertAnswered([{ status: 200 }], "/verify");
  assert.throws(
    () => assertAnswered([{ status: 200 }, { status: 503 }], "/verify"),
    /\/verify ended with 503/,
  );
});

/** Answers when `together` calls wait, all of them, after `onRound`. */
async function serve(t: TestContext, { together, onRound }: { together: number; onRound?: () => void }) {
  const received: string[] = [];
  let waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += String(chunk)));
    request.on("end", () => {
      received.push(body);
      waiting.push(response);
      if (waiting.length < together) return;
      onRound?.();
      for (const each of waiting) each.end();
      waiting = [];
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, received };
}
