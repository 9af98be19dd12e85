import assert from "node:assert/strict";
import test from "node:test";
import type { Profile } from "@faceline/contracts/stored/profile";
import { newProfile } from "../testing/fixtures.ts";
import { runCpuMs } from "../profile/lane-times.ts";
import { quantilesOf, valueAt } from "../profile/quantiles.ts";
import { fitToLoad, type LoadTimes } from "./load-fit.ts";

/** A thousand calls and runs where everything takes 2 ms longer than the profile says. */
function timesOf(profile: Profile, sizes: readonly number[] = [2]): LoadTimes {
  const { intakeMs, toWorkerMs, replyMs, factors, fetchMs, fetchMoreMs, handoverMs } = profile.service;
  const { handoverMoreMs, runWaitShares } = profile.service;
  const cpuMs = (size: number) => runCpuMs(profile, profile.lanes[0]!, size);
  const runMsOf = (size: number, share: number) =>
    handoverMs + valueAt(handoverMoreMs, share) + (1 + valueAt(runWaitShares, share)) * cpuMs(size);
  const all = Array.from({ length: 1_000 }, (_, index) => index / 999);
  return {
    serviceMs: all.map((share) => valueAt(factors, share) * (intakeMs + toWorkerMs + replyMs) + 2),
    runs: sizes.flatMap((size) =>
      all.map((share) => ({
        size,
        prepareMs: fetchMs + valueAt(fetchMoreMs, share) + 2,
        runMs: runMsOf(size, share) + 2,
      })),
    ),
  };
}

/** Pauses: one in fifty takes five times as long as usual. */
const pausesOf = (usualMs: number) =>
  Array.from({ length: 1_000 }, (_, index) => usualMs * (index % 50 === 0 ? 5 : 1 + (index % 10) / 100));
const [serviceMs, prepareMs, runMs] = [15, 6, 30].map(pausesOf) as [number[], number[], number[]];
const measured: LoadTimes = {
  serviceMs,
  runs: runMs.map((ms, index) => ({ size: 2, prepareMs: prepareMs[index]!, runMs: ms })),
};

const fit = (profile: Profile, load: LoadTimes, predict: (each: Profile) => LoadTimes = timesOf): Profile =>
  fitToLoad(profile, { measured: load, lane: profile.lanes[0]!.lane, predict });

test("the waits around the engine become those of the load, with its pauses", () => {
  const fitted = timesOf(fit(newProfile(), measured));
  const columns: [string, (times: LoadTimes) => readonly number[]][] = [
    ["hops", (times) => times.serviceMs],
    ["preparation", (times) => times.runs.map((run) => run.prepareMs)],
    ["run", (times) => times.runs.map((run) => run.runMs)],
  ];
  for (const [name, columnOf] of columns) {
    const [ours, theirs] = [fitted, measured].map((times) => quantilesOf(columnOf(times), 100));
    for (const quantile of [5, 50, 90, 99]) {
      const [ms, expected] = [ours![quantile]!, theirs![quantile]!];
      assert.ok(Math.abs(ms / expected - 1) < 0.02, `${name}, p${quantile}: ${ms} instead of ${expected}`);
    }
  }
});

test("larger batches than predicted are no waits: each is compared with those of its size", () => {
  const profile = newProfile();
  // As long as predicted, of another mix of sizes, one of which is not predicted.
  const { runs } = timesOf(profile, [2, 4, 8]);
  const large = runs.filter(({ size }, index) => size > 2 || index % 20 === 0);
  const { service } = fit(profile, { serviceMs, runs: large }, (each) => timesOf(each, [2, 4]));
  assert.ok(service.runWaitShares.every((share) => share < 0.001));
});

test("runs of all sizes wait for the same share of their CPU time, and beside an engine for the same time", () => {
  const longer = (profile: Profile, moreMs: (cpuMs: number) => number): LoadTimes => {
    const { runs } = timesOf(profile, [2, 4]);
    const cpuMs = (size: number) => runCpuMs(profile, profile.lanes[0]!, size);
    return { serviceMs, runs: runs.map((run) => ({ ...run, runMs: run.runMs + moreMs(cpuMs(run.size)) })) };
  };
  const both = (each: Profile) => timesOf(each, [2, 4]);
  const profile = newProfile();
  const onCores = fit(
    profile,
    longer(profile, (cpuMs) => 0.7 * cpuMs),
    both,
  ).service;
  assert.ok(onCores.runWaitShares.every((share) => Math.abs(share - 0.7) < 0.01));
  assert.deepEqual(onCores.handoverMoreMs, [0, 0]);
  const beside = newProfile({ lanes: profile.lanes.map((lane) => ({ ...lane, cpuShare: 0 })) });
  const { handoverMs, runWaitShares } = fit(
    beside,
    longer(beside, () => 9),
    both,
  ).service;
  assert.ok(Math.abs(handoverMs - 9) < 0.1, `${handoverMs}`);
  assert.deepEqual(runWaitShares, [0, 0]);
});

test("beside an engine that leaves the cores alone, calls may wait less than single ones did", () => {
  const { lanes, service } = newProfile();
  const prepareOf = (cpuShare: number) => {
    const profile = newProfile({
      lanes: lanes.map((lane) => ({ ...lane, cpuShare })),
      service: { ...service, fetchMs: 10 },
    });
    const runs = measured.runs.map((run, index) => ({ ...run, prepareMs: 4 + (index % 5) }));
    const { fetchMs, fetchMoreMs } = fit(profile, { serviceMs, runs }).service;
    return [fetchMs, fetchMs + fetchMoreMs.at(-1)!].map((ms) => Math.round(ms));
  };
  // Between 4 and 8 ms, of which the simulation of the test adds 2.
  assert.deepEqual(prepareOf(0), [2, 6]);
  // On cores the least is that of an idle machine, and here the median of the load is below it.
  assert.deepEqual(prepareOf(1), [4, 6]);
});

test("what does not belong to waits stays as it is", () => {
  const profile = newProfile();
  const fitted = fit(profile, measured);
  const { factors, fetchMs, fetchMoreMs, handoverMoreMs, runWaitShares } = fitted.service;
  const waits = { factors, fetchMs, fetchMoreMs, handoverMoreMs, runWaitShares };
  assert.deepEqual(fitted, { ...profile, service: { ...profile.service, ...waits } });
});

test("no wait becomes negative where the load was faster than predicted", () => {
  const runs = measured.runs.map(({ size }) => ({ size, prepareMs: 0, runMs: 5 }));
  const { service } = fit(newProfile(), { serviceMs: serviceMs.map(() => 1), runs });
  assert.equal(service.fetchMs, 0);
  assert.ok([service.factors, service.fetchMoreMs, service.runWaitShares].flat().every((each) => each >= 0));
});
