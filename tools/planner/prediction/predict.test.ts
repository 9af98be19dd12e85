import assert from "node:assert/strict";
import test from "node:test";
import { newProfile, newTrace, withServiceMs } from "../testing/fixtures.ts";
import { wholeTrace } from "../trace/trace-part.ts";
import { type PoolSettings, predict } from "./predict.ts";

const settings: PoolSettings = { workers: 2, batchMax: 8, utilisationTarget: 0.85 };

test("a call on an idle pool takes its hops, its preparation and its run", () => {
  const trace = withServiceMs(newTrace({ perSecond: 1, images: 1, seconds: 300 }), 8, 10, 12);
  const { p50Ms, shed, late, meanBatch, stages } = predictAll(trace, settings);
  // Ingress and hops 10, fetching 2, decoding 1.5, run 22.
  assert.ok(Math.abs(p50Ms - 35.5) < 1.5, `${p50Ms}`);
  assert.deepEqual([shed, late, meanBatch], [0, 0, 1]);
  const expected = { serviceMs: 10, waitMs: 0, prepareMs: 3.5, runMs: 22 };
  for (const [stage, ms] of Object.entries(expected)) {
    const predicted = stages[stage as keyof typeof stages];
    assert.ok(Math.abs(predicted - ms) < 0.7, `${stage}: ${predicted}`);
  }
});

test("the workers are as busy as the work is long", () => {
  const trace = newTrace({ perSecond: 20, images: 1, seconds: 100 });
  const { utilisation, workerSecondsPer1000 } = predictAll(trace, { ...settings, batchMax: 1 });
  const expected = (0.022 * trace.calls) / (2 * (trace.durationMs / 1_000));
  assert.ok(Math.abs(utilisation - expected) < 0.02, `${utilisation} and ${expected}`);
  const cost = (2 * trace.durationMs) / trace.calls;
  assert.ok(Math.abs(workerSecondsPer1000 / cost - 1) < 0.02);
});

test("too few workers refuse calls, and further ones answer them", () => {
  const trace = newTrace({ perSecond: 300, deadlineMs: 300 });
  const [one, four] = [1, 4].map((workers) => predictAll(trace, { ...settings, workers }));
  assert.ok(one!.shed > 0.2, `${one!.shed}`);
  assert.ok(four!.shed < 0.01, `${four!.shed}`);
});

test("work around the engine slows the runs on the same cores down, and no others", () => {
  const trace = newTrace({ perSecond: 25, images: 1, seconds: 100 });
  const runMsOn = (cores: number, cpuShare: number) => {
    const profile = newProfile({ machine: { cpu: "modelled", cores, memoryMiB: 1_024 } });
    const lanes = profile.lanes.map((lane) => ({ ...lane, cpuShare }));
    const plan = { parts: [wholeTrace(trace)] };
    return predict(trace, { ...profile, lanes }, { ...settings, workers: 1 }, plan).stages.runMs;
  };
  const alone = runMsOn(16, 1);
  assert.ok(Math.abs(alone - 22) < 0.7, `${alone}`);
  // Calls take 25 x 3.3 ms a second of one core, and their decodes as much again.
  assert.ok(runMsOn(1, 1) > 1.05 * alone, `${runMsOn(1, 1)}`);
  assert.ok(Math.abs(runMsOn(1, 0) - alone) < 0.7, `${runMsOn(1, 0)}`);
});

test("rare slow hops of a recording are in p99 and not in p50", () => {
  const trace = newTrace({ perSecond: 5, images: 1, seconds: 600 });
  const rarely = [...Array.from({ length: 48 }, () => 10), 200, 200];
  const [usual, rare] = [[10, 10], rarely].map((ms) => predictAll(withServiceMs(trace, ...ms), settings));
  assert.ok(Math.abs(rare!.p50Ms - usual!.p50Ms) < 3, `${rare!.p50Ms} and ${usual!.p50Ms}`);
  assert.ok(rare!.p99Ms > usual!.p99Ms + 100, `${rare!.p99Ms} and ${usual!.p99Ms}`);
});

test("with a target, a prediction ends once that is missed for certain", () => {
  const trace = newTrace({ perSecond: 300, seconds: 200, deadlineMs: 300 });
  const plan = { parts: [wholeTrace(trace)], target: { shed: 0.001 } };
  const { calls, missed } = predict(trace, newProfile(), { ...settings, workers: 1 }, plan);
  assert.deepEqual(missed, ["shed"]);
  assert.ok(calls < trace.calls / 2, `${calls} of ${trace.calls}`);
});

test("the same arguments give the same prediction", () => {
  const trace = newTrace({ shape: "bursts" });
  assert.deepEqual(predictAll(trace, settings), predictAll(trace, settings));
});

test("a lane or a batch size that was not calibrated is refused", () => {
  const other = newTrace({ lanes: ["Dlib/blazeface" as never] });
  assert.throws(
    () => predictAll(other, settings),
    /requests of Dlib\/blazeface, which the profile lacks. It has: Dlib\/ssd/,
  );
  assert.throws(
    () => predictAll(newTrace(), { ...settings, batchMax: 16 }),
    /Batches of 16 were not calibrated/,
  );
});

const predictAll = (trace: ReturnType<typeof newTrace>, pool: PoolSettings, profile = newProfile()) =>
  predict(trace, profile, pool, { parts: [wholeTrace(trace)] });
