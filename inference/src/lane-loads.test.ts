import assert from "node:assert/strict";
import { test } from "node:test";
import { type Log, openLog } from "@faceline/runtime/log";
import { type LaneId, laneId } from "@faceline/contracts/wire/ids";
import { laneStayMs } from "@faceline/contracts/wire/report";
import type { Engine } from "./engine/engine.ts";
import { LaneLoads, logWarmUp } from "./lane-loads.ts";

const [ssd, tiny, other] = [laneId("Dlib", "ssd"), laneId("Dlib", "tiny"), laneId("Other", "ssd")];
const self = "inference-0000000000000001";

test("one lane is loaded at a time, and another one with a later state", async () => {
  const { loads, engine, endLoads } = openLoads({ slow: true });
  assert.deepEqual(
    loads.loadable().map(({ lane }) => lane),
    [tiny, other],
  );
  const first = loads.follow([wantedHere(ssd), wantedHere(other), wantedHere(tiny)]);
  assert.equal(loads.loading, other);
  await loads.follow([wantedHere(other), wantedHere(tiny)]);
  endLoads();
  await first;
  await loads.follow([wantedHere(tiny)]);
  assert.deepEqual(engine.steps, ["load Other/ssd", "load Dlib/tiny"]);
  assert.deepEqual([loads.loadable(), loads.loading], [[], null]);
});

test("lanes that another worker is to load, that nobody wants or that are unknown are not loaded", async () => {
  const { loads, engine } = openLoads();
  await loads.follow([
    { ...wantedHere(tiny), load: { worker: "inference-0000000000000002", mayUnload: true } },
    { lane: other, load: null },
    wantedHere(laneId("Unknown", "ssd")),
  ]);
  assert.deepEqual(engine.steps, []);
});

test("how long a load takes is reported from its begin on, and once it has left again", async () => {
  const fixture = openLoads({ laneCountMax: 1, slow: true });
  const { loads } = fixture;
  fixture.at(laneStayMs);
  const reported = (lane: LaneId) => loads.loadable().find((each) => each.lane === lane);
  const load = loads.follow([wantedHere(tiny)]);
  fixture.at(laneStayMs + 4_000);
  assert.deepEqual(reported(tiny), { lane: tiny, unloads: [], at: laneStayMs });
  fixture.endLoads();
  await load;
  fixture.at(3 * laneStayMs);
  await loads.follow([wantedHere(other)]);
  assert.deepEqual([reported(tiny)?.loadMs, reported(ssd)?.loadMs], [4_000, undefined]);
});

test("a lane that cannot be loaded is no longer offered, and others still are", async () => {
  const fault = new Error("tiny.float32.onnx has another SHA-256 than the catalogue");
  const { loads, engine } = openLoads({ fault });
  await loads.follow([wantedHere(tiny)]);
  assert.deepEqual(
    loads.loadable().map(({ lane }) => lane),
    [other],
  );
  await loads.follow([wantedHere(tiny)]);
  assert.deepEqual(engine.steps, ["load Dlib/tiny"]);
});

test("where memory is short, the lane that teams used least lately leaves before another one is loaded", async () => {
  const fixture = openLoads({ laneCountMax: 2, now: laneStayMs });
  const { loads, engine } = fixture;
  await loads.follow([wantedHere(tiny)]);
  fixture.at(2 * laneStayMs);
  loads.use(ssd, 1);
  fixture.at(2 * laneStayMs + 1);
  assert.deepEqual(loads.loadable(), [{ lane: other, unloads: [tiny], at: 2 * laneStayMs + 1 }]);
  await loads.follow([wantedHere(other)]);
  assert.deepEqual(engine.steps.slice(1), ["unload Dlib/tiny", "load Other/ssd"]);
});

test("two lanes that are wanted in turns stay for a while each, so a worker does not only load", async () => {
  const fixture = openLoads({ laneCountMax: 1 });
  const { loads, engine } = fixture;
  for (let now = 0; now < 6 * laneStayMs; now += 500) {
    fixture.at(now);
    const wanted = [ssd, tiny].filter((lane) => !loads.offered.some((each) => each.lane === lane));
    await loads.follow(wanted.map(wantedHere));
  }
  assert.equal(engine.steps.filter((step) => step.startsWith("load")).length, 5);
});

test("a lane with batches is offered no more, and is unloaded when they have ended", async () => {
  const fixture = openLoads({ laneCountMax: 1, now: laneStayMs });
  const { loads, engine, held } = fixture;
  fixture.at(2 * laneStayMs);
  held.add(ssd);
  await loads.follow([wantedHere(tiny)]);
  assert.deepEqual([loads.offered, loads.loading, engine.steps], [[], tiny, []]);
  held.clear();
  await loads.follow([wantedHere(tiny)]);
  assert.deepEqual(engine.steps, ["unload Dlib/ssd", "load Dlib/tiny"]);
});

test("a lane whose batches have not ended stays after all where the other one is no longer wanted", async () => {
  const fixture = openLoads({ laneCountMax: 1, now: laneStayMs });
  const { loads, held } = fixture;
  fixture.at(2 * laneStayMs);
  held.add(ssd);
  await loads.follow([wantedHere(tiny)]);
  await loads.follow([]);
  assert.deepEqual([loads.offered.map(({ lane }) => lane), loads.loading], [[ssd], null]);
});

test("for anonymous calls a lane is loaded where memory is free, and no lane leaves", async () => {
  const fixture = openLoads({ laneCountMax: 2 });
  const { loads, engine } = fixture;
  const anonymously = (lane: LaneId) => ({ lane, load: { worker: self, mayUnload: false } });
  await loads.follow([anonymously(tiny)]);
  fixture.at(100 * laneStayMs);
  await loads.follow([anonymously(other)]);
  assert.deepEqual(engine.steps, ["load Dlib/tiny"]);
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

const wantedHere = (lane: LaneId) => ({ lane, load: { worker: self, mayUnload: true } });

/** A worker that has loaded Dlib/ssd, and whose lanes take the same memory each. */
function openLoads({ laneCountMax = 3, now = 0, slow = false, fault }: Scenario = {}) {
  const held = new Set<LaneId>();
  const loaded = (lane: LaneId) => ({ lane, precisions: [] }) as unknown as Engine["lanes"][number];
  const engine = {
    lanes: [loaded(ssd)],
    steps: [] as string[],
    async load(lane: LaneId) {
      engine.steps.push(`load ${lane}`);
      await gate.promise;
      if (fault !== undefined) throw fault;
      engine.lanes = engine.lanes.concat(loaded(lane));
    },
    async unload(lane: LaneId) {
      engine.steps.push(`unload ${lane}`);
      engine.lanes = engine.lanes.filter((each) => each.lane !== lane);
    },
  };
  const gate = Promise.withResolvers<void>();
  if (!slow) gate.resolve();
  const loads = new LaneLoads({
    worker: self,
    lanes: [ssd, tiny, other],
    engine,
    memory: { learn: () => {}, bytesOf: (lanes) => lanes.length },
    bytesMax: laneCountMax,
    clock: { now: () => now },
    log: openLog("test", "silent"),
    holds: (lane) => held.has(lane),
    onLoaded: () => {},
    onChange: () => {},
  });
  return {
    loads,
    engine,
    held,
    at(instant: number) {
      now = instant;
    },
    endLoads: () => gate.resolve(),
  };
}

type Scenario = { laneCountMax?: number; now?: number; slow?: boolean; fault?: Error };
