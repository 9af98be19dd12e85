import assert from "node:assert/strict";
import { test } from "node:test";
import { type Log, openLog } from "@faceline/contracts/runtime/log";
import { laneId } from "@faceline/contracts/wire/ids";
import type { Engine } from "./engine/engine.ts";
import { LaneLoads, logWarmUp } from "./lane-loads.ts";

const [ssd, tiny, other] = [laneId("Dlib", "ssd"), laneId("Dlib", "tiny"), laneId("Other", "ssd")];

test("one lane is loaded at a time, and a wanted one that waits is loaded with a later state", async () => {
  const { loads, engine } = openLoads();
  assert.deepEqual(loads.loadable(), [tiny, other]);
  const wanted = [ssd, other, tiny].map((lane) => ({ lane, wanted: true }));
  const first = loads.follow(wanted);
  await loads.follow(wanted);
  assert.deepEqual(engine.begun, [other]);
  engine.end(other);
  await first;
  const second = loads.follow(wanted);
  engine.end(tiny);
  await second;
  assert.deepEqual([engine.begun, loads.loadable()], [[other, tiny], []]);
});

test("lanes that nobody wants and lanes of other workers are not loaded", async () => {
  const { loads, engine } = openLoads();
  await loads.follow([
    { lane: tiny, wanted: false },
    { lane: laneId("Unknown", "ssd"), wanted: true },
  ]);
  assert.deepEqual(engine.begun, []);
});

test("a lane that cannot be loaded is no longer offered, and others still are", async () => {
  const { loads, engine, changes } = openLoads();
  const following = loads.follow([{ lane: tiny, wanted: true }]);
  engine.end(tiny, new Error("tiny.float32.onnx has another SHA-256 than the catalogue"));
  await following;
  assert.deepEqual(loads.loadable(), [other]);
  assert.equal(changes(), 1);
  await loads.follow([{ lane: tiny, wanted: true }]);
  assert.deepEqual(engine.begun, [tiny]);
});

test("warm-ups are lines of the log on a GPU, and on a CPU where memory does not suffice", () => {
  const lines: string[] = [];
  const write = (level: string) => (fields: object, text: string) =>
    void lines.push(`${level} ${JSON.stringify(fields)} ${text}`);
  const log = { debug: write("debug"), info: write("info"), warn: write("warn") } as unknown as Log;
  const warm = { network: "ssd", size: 64, times: { firstMs: 2_345.6, runMs: 12.34 } };
  logWarmUp(log, "cuda")(warm);
  logWarmUp(log, "cpu")(warm);
  logWarmUp(log, "cpu")({ ...warm, times: undefined });
  const fields = '{"network":"ssd","size":64,"firstMs":2346,"runMs":12.3}';
  assert.deepEqual(lines, [
    `info ${fields} warmed a network for runs of this size`,
    `debug ${fields} warmed a network for runs of this size`,
    'warn {"network":"ssd","size":64} memory does not suffice for runs of this size; ' +
      "larger batches take several runs",
  ]);
});

function openLoads() {
  let changed = 0;
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const engine = {
    lanes: [{ lane: ssd }] as unknown as Engine["lanes"],
    fallbacks: [],
    begun: [] as string[],
    load(lane: typeof ssd) {
      engine.begun.push(lane);
      const end = Promise.withResolvers<void>();
      ends.set(lane, end);
      return end.promise;
    },
    end(lane: typeof ssd, error?: Error) {
      if (error !== undefined) return ends.get(lane)!.reject(error);
      engine.lanes = engine.lanes.concat({ lane } as unknown as Engine["lanes"]);
      ends.get(lane)!.resolve();
    },
  };
  const log = openLog("test", "silent");
  const loads = new LaneLoads({ lanes: [ssd, tiny, other], engine, log, onChange: () => changed++ });
  return { loads, engine, changes: () => changed };
}
