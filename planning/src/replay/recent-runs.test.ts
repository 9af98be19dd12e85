import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type TestContext } from "node:test";
import { recentRuns } from "./recent-runs.ts";

const run = (bucket: number, runMs: number) => ({
  lane: "Dlib/ssd",
  tasks: 1,
  bucket,
  prepareMs: 2.5,
  runMs,
});

test("each run of a page is read once, from all workers; other processes have none", async (t) => {
  const first = await serve(t, [[run(1, 20)], [run(1, 20), run(1, 21)], [run(1, 21), run(2, 30.5)]]);
  const second = await serve(t, [[], [run(1, 20)], [run(1, 20)]]);
  const batcher = await serve(t, [undefined, undefined, undefined]);
  const read = recentRuns([first, second, batcher], undefined);
  assert.deepEqual(await read(), [{ size: 1, prepareMs: 2.5, runMs: 20 }]);
  // Two workers may have runs that take the same time.
  assert.deepEqual(
    (await read()).map(({ runMs }) => runMs),
    [21, 20],
  );
  assert.deepEqual(await read(), [{ size: 2, prepareMs: 2.5, runMs: 30.5 }]);
});

test("a port that has no live page is a sentence", async (t) => {
  const read = recentRuns([await serve(t, [])], undefined);
  await assert.rejects(read(), /\/live\.json answered 404; is it an operators' port\?/);
});

/** Answers with the runs of each page in turn, and with 404 without any. */
async function serve(t: TestContext, pages: (object[] | undefined)[]): Promise<string> {
  const server = createServer((_, response) => {
    if (pages.length === 0) return void response.writeHead(404).end();
    response.end(JSON.stringify({ part: { runs: pages.shift() } }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
