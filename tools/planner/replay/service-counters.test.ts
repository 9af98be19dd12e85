import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type TestContext } from "node:test";
import { watchService } from "./service-counters.ts";

test("the mean batch and the share of time with runs are those since the beginning, over all ports", async (t) => {
  const batcher = await serve(t, [
    'faceline_batch_size_sum{lane="a"} 100\nfaceline_batch_size_count{lane="a"} 50',
    'faceline_batch_size_sum{lane="a"} 130\nfaceline_batch_size_count{lane="a"} 60\n' +
      'faceline_batch_size_sum{lane="b"} 6\nfaceline_batch_size_count{lane="b"} 2',
  ]);
  const worker = () =>
    serve(t, [
      "faceline_run_tasks 0",
      'faceline_run_tasks 0\nfaceline_run_duration_seconds_sum{lane="a",bucket="2"} 3e-9\n' +
        'faceline_run_duration_seconds_count{lane="a",bucket="2"} 3\n' +
        'faceline_run_cpu_time_seconds_total{lane="a",bucket="2"} 2e-9\n' +
        'faceline_run_duration_seconds_count{lane="b",bucket="2"} 1',
    ]);
  const counted = await watchService([batcher, await worker(), await worker()]);
  const { meanBatch, utilisation, runs } = await counted();
  assert.equal(meanBatch, 3);
  assert.deepEqual(
    runs.map(({ lane, size, count, cpuMs }) => [lane, size, count, cpuMs?.toFixed(9)]),
    [
      ["a", 2, 6, "0.000004000"],
      ["b", 2, 2, undefined],
    ],
  );
  assert.equal(runs[0]!.ms.toFixed(9), "0.000006000");
  assert.ok(utilisation! > 0 && utilisation! < 0.01);
});

test("a worker that was started again counts from 0, and one that ran nothing of a size says nothing of it", async (t) => {
  const runsOf = (count: number, cpuSeconds?: number) =>
    `faceline_run_duration_seconds_count{lane="a",bucket="2"} ${count}\n` +
    (cpuSeconds === undefined
      ? ""
      : `faceline_run_cpu_time_seconds_total{lane="a",bucket="2"} ${cpuSeconds}\n`);
  const restarted = await serve(t, [runsOf(50, 9), runsOf(4, 1)]);
  // Its only run of that size failed, before.
  const idle = await serve(t, [runsOf(1), runsOf(1)]);
  const counted = await watchService([restarted, idle]);
  const { runs } = await counted();
  assert.deepEqual(
    runs.map(({ count, cpuMs }) => [count, cpuMs]),
    [[4, 1_000]],
  );
});

test("without ports nothing is measured", async () => {
  const counted = await watchService([]);
  const { forMs, ...counts } = await counted();
  assert.ok(forMs >= 0);
  const nothing = { meanBatch: undefined, utilisation: undefined, runs: [] };
  assert.deepEqual(counts, nothing);
});

test("a port that refuses, or is none, is a sentence with what to do", async (t) => {
  const refusing = await serve(t, []);
  await assert.rejects(watchService([refusing], "token"), /answered 401; give the operators' token/);
  await assert.rejects(watchService(["http://127.0.0.1:9"]), /127\.0\.0\.1:9\/metrics cannot be read/);
});

/** Answers with the pages in turn, and with 401 without any. */
async function serve(t: TestContext, pages: string[]): Promise<string> {
  const server = createServer((_, response) => {
    const page = pages.shift();
    response.writeHead(page === undefined ? 401 : 200).end(page);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
