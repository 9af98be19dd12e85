import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type TestContext } from "node:test";
import type { LiveInference, LivePart, LiveRun } from "@faceline/runtime/live/state";
import * as live from "@faceline/runtime/live/testing/states";
import { LaneId } from "@faceline/contracts/wire/ids";
import { recentRuns } from "./recent-runs.ts";

const lane = LaneId.parse("Dlib/ssd");
const token = undefined;

const run = (bucket: number, runMs: number): LiveRun => ({
  lane,
  tasks: 1,
  bucket,
  prepareMs: 2.5,
  runMs,
  predictedRunMs: 25,
  isAnswered: true,
});

test("each run of a page is read once, from all workers; other processes have none", async (t) => {
  const first = await serve(
    t,
    [[run(1, 20)], [run(1, 20), run(1, 21)], [run(1, 21), run(2, 30.5)]].map(worker),
  );
  const second = await serve(t, [[], [run(1, 20)], [run(1, 20)]].map(worker));
  const batcher = await serve(t, [live.batcher(), live.batcher(), live.batcher()]);
  const read = recentRuns([first, second, batcher], { lane, token });
  assert.deepEqual(await read(), [{ size: 1, prepareMs: 2.5, runMs: 20 }]);
  // Two workers may have runs that take the same time.
  assert.deepEqual(
    (await read()).map(({ runMs }) => runMs),
    [21, 20],
  );
  assert.deepEqual(await read(), [{ size: 2, prepareMs: 2.5, runMs: 30.5 }]);
});

test("runs of other lanes and those that failed are left out", async (t) => {
  const other = { ...run(1, 40), lane: "Dlib/tiny" };
  const failed = { ...run(1, 5), isAnswered: false };
  const read = recentRuns([await serve(t, [worker([other, failed, run(1, 20)])])], { lane, token });
  assert.deepEqual(await read(), [{ size: 1, prepareMs: 2.5, runMs: 20 }]);
});

test("a port that has no live page is a sentence", async (t) => {
  const read = recentRuns([await serve(t, [])], { lane, token });
  await assert.rejects(read(), /\/live\.json answered 404; is it an operators' port\?/);
});

const worker = (runs: LiveRun[]): LiveInference => live.inference({ runs });

/** Answers with the live pages in turn, and with 404 without any. */
async function serve(t: TestContext, parts: LivePart[]): Promise<string> {
  const server = createServer((_, response) => {
    const part = parts.shift();
    if (part === undefined) return void response.writeHead(404).end();
    response.end(JSON.stringify(live.stateOf(part)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
