import assert from "node:assert/strict";
import test from "node:test";
import type { Profile } from "@faceline/contracts/stored/profile";
import { newProfile, newTrace } from "../testing/fixtures.ts";
import { wholeTrace } from "../trace/trace-part.ts";
import { type PoolSettings, type Prediction, predict } from "./predict.ts";

const settings: PoolSettings = { workers: 2, batchMax: 8, utilisationTarget: 0.85 };

test("a call on an idle pool takes its hops, its preparation and its run", () => {
  const trace = newTrace({ perSecond: 1, pictures: 1, seconds: 300 });
  const { p50Ms, shed, late, meanBatch, stages, meanRunMs } = predictAll(trace, settings);
  // Intake 4, to the worker 3, preparation 1.5, run 22, reply 3.
  assert.ok(Math.abs(p50Ms - 33.5) < 1.5, `${p50Ms}`);
  assert.deepEqual([shed, late, meanBatch], [0, 0, 1]);
  assert.deepEqual(Object.keys(meanRunMs), ["1"]);
  assert.ok(Math.abs(meanRunMs[1]! - 22) < 0.7, `${meanRunMs[1]}`);
  const expected = { serviceMs: 10, waitMs: 0, prepareMs: 1.5, runMs: 22 };
  for (const [stage, ms] of Object.entries(expected)) {
    const predicted = stages[stage as keyof typeof stages];
    assert.ok(Math.abs(predicted - ms) < 0.7, `${stage}: ${predicted}`);
  }
});

test("the workers are as busy as the work is long", () => {
  const trace = newTrace({ perSecond: 20, pictures: 1, seconds: 100 });
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

test("what calls take of the cores around the engine slows the runs down", () => {
  const trace = newTrace({ perSecond: 25, pictures: 1, seconds: 100 });
  const machine = { cpu: "modelled", cores: 1, memoryMiB: 1_024 };
  const { service } = newProfile();
  const busy = { ...service, cpu: { callMs: 8, pictureMs: 4, megabyteMs: 0 } };
  const plan = { parts: [wholeTrace(trace)] };
  const [alone, beside] = [service, busy].map((each) =>
    predict(trace, newProfile({ machine, service: each }), { ...settings, workers: 1 }, plan),
  );
  // Of a core, the calls take 25 x 12 ms a second.
  assert.ok(beside!.stages.runMs > 1.2 * alone!.stages.runMs, `${beside!.stages.runMs}`);
  assert.ok(beside!.p99Ms > alone!.p99Ms);
});

test("CPU time of a call beyond its hop is spent beside it", () => {
  const trace = newTrace({ perSecond: 1, pictures: 1, seconds: 300 });
  const service = { ...newProfile().service, cpu: { callMs: 30, pictureMs: 0, megabyteMs: 0 } };
  const { stages } = predict(trace, newProfile({ service }), settings, { parts: [wholeTrace(trace)] });
  // On 16 cores nothing waits for it: the hops are 10 ms as without it.
  assert.ok(Math.abs(stages.serviceMs - 10) < 0.7, `${stages.serviceMs}`);
});

test("pauses of a busy machine are in p99 and not in p50, and a machine without other work has none", () => {
  const { service, lanes } = newProfile();
  const both = { lanes: lanes.map((lane) => ({ ...lane, contention: [1, 1] })) };
  const rarely = (usual: number, pause: number) => [...Array.from({ length: 48 }, () => usual), pause, pause];
  const pauses = {
    factors: rarely(1, 20),
    fetchMoreMs: rarely(0, 70),
    runWaitShares: rarely(0, 4),
  };
  const [idle, busy] = [1, 60].map((perSecond) => {
    const trace = newTrace({ perSecond, pictures: 1, seconds: 600 });
    return (profile: Profile) => predict(trace, profile, settings, { parts: [wholeTrace(trace)] });
  }) as [(profile: Profile) => Prediction, (profile: Profile) => Prediction];
  const usual = { idle: idle(newProfile(both)), busy: busy(newProfile(both)) };
  for (const [name, quantiles] of Object.entries(pauses)) {
    const paused = newProfile({ ...both, service: { ...service, [name]: quantiles } });
    const { p50Ms, p99Ms } = busy(paused);
    assert.ok(Math.abs(p50Ms - usual.busy.p50Ms) < 5, `${name}: p50 ${p50Ms} and ${usual.busy.p50Ms}`);
    assert.ok(p99Ms > usual.busy.p99Ms + 30, `${name}: p99 ${p99Ms} and ${usual.busy.p99Ms}`);
    const alone = idle(paused).p99Ms;
    assert.ok(Math.abs(alone - usual.idle.p99Ms) < 2, `${name}: p99 ${alone} and ${usual.idle.p99Ms}`);
  }
});

test("beside an engine that leaves the cores alone, waits are those of the load always", () => {
  const { service, lanes } = newProfile();
  const waiting = { lanes: lanes.map((lane) => ({ ...lane, cpuShare: 0 })) };
  const trace = newTrace({ perSecond: 1, pictures: 1, seconds: 300 });
  const loaded = { ...service, factors: [2, 2], fetchMoreMs: [7, 7], handoverMoreMs: [8, 8] };
  const [usual, later] = [service, loaded].map((each) =>
    predictAll(trace, settings, newProfile({ ...waiting, service: each })),
  );
  const more = later!.p50Ms - usual!.p50Ms;
  assert.ok(Math.abs(more - (10 + 7 + 8)) < 1.5, `${more}`);
});

test("a pace that changes for seconds fills queues, and leaves the mean run as long", () => {
  const trace = newTrace({ perSecond: 30, pictures: 1, seconds: 600 });
  const machine = { cpu: "modelled", cores: 1, memoryMiB: 1_024 };
  const stretch = (factor: number) => Array.from({ length: 10 }, () => factor);
  const pace = { everyMs: 300, factors: [...stretch(0.75), ...stretch(1.25)] };
  const [steady, changing] = [machine, { ...machine, pace }].map((each) =>
    predictAll(trace, { ...settings, workers: 1, batchMax: 1 }, newProfile({ machine: each })),
  );
  assert.ok(changing!.p99Ms > 1.3 * steady!.p99Ms, `${changing!.p99Ms} and ${steady!.p99Ms}`);
  const ratio = changing!.stages.runMs / steady!.stages.runMs;
  assert.ok(Math.abs(ratio - 1) < 0.05, `${ratio}`);
});

test("a client on the machine takes a part of its cores", () => {
  const trace = newTrace({ perSecond: 25, pictures: 1, seconds: 100 });
  const machine = { cpu: "modelled", cores: 1, memoryMiB: 1_024 };
  const service = { ...newProfile().service, clientCpu: { callMs: 10, pictureMs: 0, megabyteMs: 0 } };
  const [away, here] = [false, true].map((clientIsHere) =>
    predict(trace, newProfile({ machine, service }), settings, { parts: [wholeTrace(trace)], clientIsHere }),
  );
  assert.ok(here!.p50Ms > away!.p50Ms + 3, `${here!.p50Ms} and ${away!.p50Ms}`);
});

test("an engine that needs no core is not slowed down by other work", () => {
  const trace = newTrace({ perSecond: 20, pictures: 1, seconds: 100 });
  const machine = { cpu: "modelled", cores: 1, memoryMiB: 1_024 };
  const profile = newProfile({ machine });
  const waiting = { ...profile.lanes[0]!, cpuShare: 0 };
  const service = { ...profile.service, cpu: { callMs: 15, pictureMs: 0, megabyteMs: 0 } };
  const { stages } = predict(trace, { ...profile, lanes: [waiting], service }, settings, {
    parts: [wholeTrace(trace)],
  });
  assert.ok(Math.abs(stages.runMs - 22) < 0.7, `${stages.runMs}`);
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
  const other = newTrace({ lanes: ["Dlib/tiny" as never] });
  assert.throws(
    () => predictAll(other, settings),
    /calls of Dlib\/tiny, which the profile lacks. It has: Dlib\/ssd/,
  );
  assert.throws(
    () => predictAll(newTrace(), { ...settings, batchMax: 16 }),
    /Batches of 16 were not calibrated/,
  );
});

const predictAll = (trace: ReturnType<typeof newTrace>, pool: PoolSettings, profile = newProfile()) =>
  predict(trace, profile, pool, { parts: [wholeTrace(trace)] });
