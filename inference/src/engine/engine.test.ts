import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { laneId } from "@faceline/contracts/wire/ids";
import type { LoadedLane } from "@faceline/contracts/wire/report";
import { builtModels, engineImage, groupPhotograph } from "../../testing/photographs.ts";
import type { WarmUp } from "../network/network.ts";
import { PrecisionSetting } from "../network/precision.ts";
import { Engine, type EngineOptions, openEngine } from "./engine.ts";
import { openLanes } from "./lanes.ts";
import type { EngineImage } from "./work.ts";

const lane = laneId("Dlib", "blazeface");
const options: EngineOptions = {
  modelsDir: await builtModels(),
  lanes: [lane],
  batchMax: 3,
  executionProvider: "cpu",
  intraOpThreads: 1,
  detectorChunkMax: 1,
  faceChunkMax: 2,
  precision: PrecisionSetting.parse("auto"),
  modelled: undefined,
};
const warmUps: WarmUp[] = [];
const engine = await openEngine({ ...options, onWarmUp: (each) => void warmUps.push(each) });
after(() => engine[Symbol.asyncDispose]());

test("the thread gives the results of the lanes, run by run", async () => {
  await using lanes = await openLanes(options);
  const group = await shared(await engineImage(groupPhotograph(3)));
  const other = await shared(await engineImage(groupPhotograph(6)));

  const [first, second] = await Promise.all([
    engine.run({ lane, images: [group] }),
    engine.run({ lane, images: [other, group] }),
  ]);
  assert.deepEqual(
    [...first.results, ...second.results],
    [
      ...(await lanes.run({ lane, images: [group] })).results,
      ...(await lanes.run({ lane, images: [other, group] })).results,
    ],
  );
  assert.equal(engine.lanes[0]!.lane, lane);
  for (const { usage } of [first, second]) assert.equal(usage.lane, lane);
});

test("the start reports each size of each network, the largest first", () => {
  assert.deepEqual(
    warmUps.map(({ network, size }) => `${network} ${size}`),
    ["blazeface 1", "landmarks-68 2", "landmarks-68 1", "Dlib 2", "Dlib 1"],
  );
  assert.ok(warmUps.every(({ times }) => times!.firstMs > 0 && times!.runMs > 0));
  assert.equal(engine.lanes.length, 1);
});

test("a run blocks the engine's thread, not this one", async () => {
  const group = await shared(await engineImage(groupPhotograph(3)));
  const state = { isRunning: true };
  const run = engine.run({ lane, images: [group, group, group] }).finally(() => (state.isRunning = false));
  let turns = 0;
  for (; state.isRunning; turns++) await setImmediate();
  await run;
  assert.ok(turns >= 5, `${turns} turns of the event loop`);
});

test("a run that fails rejects, and the next succeeds", async () => {
  const unknown = laneId("Dlib", "none");
  await assert.rejects(
    engine.run({ lane: unknown, images: [] }),
    /a run of the engine failed: .* is not loaded/,
  );
  assert.deepEqual((await engine.run({ lane, images: [] })).results, []);
});

test("closing ends the runs in flight, and rejects later ones", async () => {
  const closed = await openEngine(options);
  const group = await shared(await engineImage(groupPhotograph(3)));
  const running = closed.run({ lane, images: [group] });
  await closed[Symbol.asyncDispose]();
  assert.equal((await running).results.length, 1);
  await assert.rejects(closed.run({ lane, images: [] }), /the engine was closed/);
  assert.equal(await Promise.race([closed.exited, Promise.resolve("never")]), "never");
});

test("what is not available is one sentence at the start", async () => {
  await assert.rejects(
    openEngine({ ...options, modelsDir: "/nowhere" }),
    /cannot be read; "npm run models -- build"/,
  );
});

for (const executionProvider of ["cuda", "webgpu"] as const) {
  test(`${executionProvider} is used or is an error, never replaced`, async () => {
    const opened = await openEngine({ ...options, executionProvider }).catch((error: Error) => error);
    if (opened instanceof Error)
      assert.match(opened.message, new RegExp(`the execution provider ${executionProvider} cannot`));
    else {
      await using used = opened;
      assert.equal(used.lanes[0]!.executionProvider, executionProvider);
    }
  });
}

test("a thread that dies rejects all runs in flight", async (t) => {
  const dying = engineOver(t, "process.exit(3)");
  const running = [dying.run({ lane, images: [] }), dying.run({ lane, images: [] })];
  for (const run of running) await assert.rejects(run, /ended with code 3/);
  assert.match((await dying.exited).message, /ended with code 3/);
  await assert.rejects(dying.run({ lane, images: [] }), /ended with code 3/);
  await dying[Symbol.asyncDispose]();
});

test("a thread that throws says why", async (t) => {
  const dying = engineOver(t, "throw new Error('out of luck')");
  await assert.rejects(dying.run({ lane, images: [] }), /died: out of luck/);
  assert.match((await dying.exited).message, /out of luck/);
});

test("a run counts as hung when no network of it ends for 20 times what all take", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const ended: string[] = [];
  const pass = async (seconds: number, each = () => {}) => {
    for (let i = 0; i < 40 * seconds; i++) {
      each();
      t.mock.timers.tick(25);
      await setImmediate();
    }
    return ended;
  };
  const starts = (runMs: number) => {
    ended.length = 0;
    const hung = engineOver(t, "for (;;);", [{ size: 1, runMs }]);
    hung.run({ lane, images: [{} as EngineImage] }).catch((error: Error) => ended.push(error.message));
    return hung;
  };

  // An image of many faces has many runs of networks.
  const slow = starts(400);
  assert.deepEqual(await pass(100, () => Atomics.add(slow.networkRuns, 0, 1)), []);
  assert.deepEqual(await pass(7), []);
  assert.match((await pass(4))[0]!, /no step of a run ended within 8000 ms/);
  assert.match((await slow.exited).message, /hangs/);

  starts(1);
  assert.deepEqual(await pass(4), []);
  assert.match((await pass(2))[0]!, /within 5000 ms/);
});

/** An engine over a thread that runs `onMessage` for every message. */
function engineOver(t: TestContext, onMessage: string, sizes = [{ size: 1, runMs: 1 }]) {
  const source = `require("node:worker_threads").parentPort.on("message", () => { ${onMessage} });`;
  const thread = new Worker(source, { eval: true });
  t.after(() => thread.terminate());
  const networkRuns = new Int32Array(new SharedArrayBuffer(4));
  const lanes = [{ lane, sizes } as LoadedLane];
  return Object.assign(new Engine(thread, { lanes, networkRuns }), { networkRuns });
}

async function shared(image: EngineImage): Promise<EngineImage> {
  const pixels = new Uint8Array(new SharedArrayBuffer(image.pixels.length));
  pixels.set(image.pixels);
  return { ...image, pixels };
}
