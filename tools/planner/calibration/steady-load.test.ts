import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { newTrace } from "../testing/fixtures.ts";
import type { RunTimes } from "../prediction/predict.ts";
import { stockPictures } from "../replay/picture-stock.ts";
import type { ServiceCounts } from "../replay/service-counters.ts";
import { measureSteadyLoad, type SteadyLoadPlan, steadyReplays } from "./steady-load.ts";

const trace = newTrace({ perSecond: 50, seconds: 0.2, pictureSize: { bytes: 9_000, pixels: 20_000 } });
const photograph = readFileSync(join(import.meta.dirname, "../../../web/src/samples/ada-1.jpg"));
const stock = await stockPictures(trace, [photograph], () => {});

test("the last four replays count, each with its calls, the runs that were read meanwhile and their counts", async (t) => {
  let [watched, readings] = [0, 0];
  const replays = await measureSteadyLoad({
    ...(await planFor(t, 200)),
    watch: async () => {
      const runs = [{ lane: trace.columns.lanes[0]!, size: ++watched, count: 1, ms: 1, cpuMs: 1 }];
      return async () => ({ runs }) as unknown as ServiceCounts;
    },
    // At least two readings for each replay: one before it, whose runs are older, and one after it.
    readRuns: async () => [{ size: ++readings, prepareMs: 1, runMs: 1 }],
  });
  assert.equal(watched, steadyReplays);
  assert.deepEqual(
    replays.map(({ counts }) => counts[0]!.size),
    [5, 6, 7, 8],
  );
  for (const { serviceMs, runs } of replays) {
    assert.equal(serviceMs.length, trace.calls);
    assert.ok(runs.length > 0);
  }
  const sizes = replays.flatMap(({ runs }) => runs.map(({ size }) => size));
  assert.ok(
    sizes[0]! > 2 * (steadyReplays - 4) + 1,
    `the first reading of a replay is older: ${sizes.join()}`,
  );
  assert.equal(sizes.at(-1), readings);
  assert.equal(readings - sizes[0]! + 1 - sizes.length, replays.length - 1);
});

test("a service that refuses calls of a load that it can answer is a sentence", async (t) => {
  const plan = await planFor(t, 429);
  await assert.rejects(measureSteadyLoad(plan), /calls that the service can answer, \d+ were not answered/);
});

test("where a worker cannot be read, the calls end too", async (t) => {
  const plan = await planFor(t, 200);
  let readings = 0;
  const readRuns = async (): Promise<RunTimes[]> => {
    if (++readings === 2) throw new Error("cannot be read");
    return [];
  };
  await assert.rejects(measureSteadyLoad({ ...plan, readRuns }), /cannot be read/);
  assert.equal(readings, 2);
});

async function planFor(t: TestContext, status: number): Promise<SteadyLoadPlan> {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.writeHead(status).end("{}"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    trace,
    stock,
    plan: { url, keys: ["key-a"], inFlightMax: 100 },
    progress: () => {},
    watch: async () => async () => ({ runs: [] }) as unknown as ServiceCounts,
    readRuns: async () => [],
  };
}
