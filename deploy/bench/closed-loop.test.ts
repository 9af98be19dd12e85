import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type TestContext } from "node:test";
import { timedLoop } from "./closed-loop.ts";

test("so many calls are in flight, bodies are sent in turn, and what the warm-up met is not told", async (t) => {
  const { url, bodies } = await server(t, { together: 4 });
  const told: string[] = [];
  let begunAtWarm = 0;
  const target = { url, headers: {}, bodies: ["a", "b", "c"] };
  const { calls } = await timedLoop(
    { kind: "timed", target, inFlight: 4, warmUpMs: 50, countedMs: 50, giveUpMs: 5_000 },
    (instant) => {
      told.push(instant);
      if (instant === "warm") begunAtWarm = bodies.length;
    },
  );
  assert.deepEqual(told, ["warm", "over"]);
  // The server answers nobody until four are there: with fewer in flight all would have given up.
  assert.deepEqual([...new Set(calls.map(({ ended }) => ended))], [200]);
  assert.deepEqual(bodies.slice(0, 4).toSorted(), ["a", "a", "b", "c"]);
  assert.ok(calls.length > 0 && calls.length <= bodies.length - begunAtWarm + 4);
});

/** Answers when so many wait, all of them. */
async function server(t: TestContext, { together }: { together: number }) {
  const bodies: string[] = [];
  let waiting: ServerResponse[] = [];
  const listening = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += String(chunk)));
    request.on("end", () => {
      bodies.push(body);
      waiting.push(response);
      if (waiting.length < together) return;
      for (const each of waiting) each.end();
      waiting = [];
    });
  }).listen(0, "127.0.0.1");
  await once(listening, "listening");
  t.after(() => listening.closeAllConnections());
  t.after(() => listening.close());
  const { port } = listening.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, bodies };
}
