import assert from "node:assert/strict";
import test from "node:test";
import { newProfile } from "../../testing/fixtures.ts";
import type { Profile } from "@faceline/contracts/stored/profile";
import { quantilesOf, valueAt } from "../profile/quantiles.ts";
import { fitToLoad } from "./load-fit.ts";

/** The stages of a thousand calls where everything takes 2 ms longer than the profile says. */
function stagesOf({ service }: Profile) {
  const { intakeMs, toWorkerMs, replyMs, factors, fetchMs, fetchMoreMs, handoverMs, handoverMoreMs } =
    service;
  return Array.from({ length: 1_000 }, (_, call) => {
    const share = call / 999;
    return {
      serviceMs: valueAt(factors, share) * (intakeMs + toWorkerMs + replyMs) + 2,
      prepareMs: fetchMs + valueAt(fetchMoreMs, share) + 2,
      runMs: handoverMs + valueAt(handoverMoreMs, share) + 20 + 2,
    };
  });
}

/** Pauses: one call in fifty takes five times as long as usual. */
const pausesOf = (usualMs: number) =>
  Array.from({ length: 1_000 }, (_, call) => usualMs * (call % 50 === 0 ? 5 : 1 + (call % 10) / 100));
const [serviceMs, prepareMs, runMs] = [15, 6, 30].map(pausesOf) as [number[], number[], number[]];
const measured = serviceMs.map((ms, call) => ({
  serviceMs: ms,
  prepareMs: prepareMs[call]!,
  runMs: runMs[call]!,
}));

test("the waits around the engine become those of the load, with its pauses", () => {
  const fitted = stagesOf(fitToLoad(newProfile(), measured, stagesOf));
  for (const stage of ["serviceMs", "prepareMs", "runMs"] as const) {
    const [ours, theirs] = [fitted, measured].map((calls) =>
      quantilesOf(
        calls.map((each) => each[stage]),
        100,
      ),
    );
    for (const quantile of [5, 50, 90, 99]) {
      const [ms, expected] = [ours![quantile]!, theirs![quantile]!];
      assert.ok(Math.abs(ms / expected - 1) < 0.02, `${stage}, p${quantile}: ${ms} instead of ${expected}`);
    }
  }
});

test("beside an engine that leaves the cores alone, calls may wait less than single ones did", () => {
  const { lanes, service } = newProfile();
  const prepareOf = (cpuShare: number) => {
    const profile = newProfile({
      lanes: lanes.map((lane) => ({ ...lane, cpuShare })),
      service: { ...service, fetchMs: 10 },
    });
    const load = measured.map((each, call) => ({ ...each, prepareMs: 4 + (call % 5) }));
    const { fetchMs, fetchMoreMs } = fitToLoad(profile, load, stagesOf).service;
    return [fetchMs, fetchMs + fetchMoreMs.at(-1)!].map((ms) => Math.round(ms));
  };
  // Between 4 and 8 ms, of which the simulation of the test adds 2.
  assert.deepEqual(prepareOf(0), [2, 6]);
  // On cores the least is that of an idle machine, and here the median of the load is below it.
  assert.deepEqual(prepareOf(1), [4, 6]);
});

test("what does not belong to waits stays as it is", () => {
  const profile = newProfile();
  const fitted = fitToLoad(profile, measured, stagesOf);
  const { factors, fetchMs, fetchMoreMs, handoverMs, handoverMoreMs } = fitted.service;
  const waits = { factors, fetchMs, fetchMoreMs, handoverMs, handoverMoreMs };
  assert.deepEqual(fitted, { ...profile, service: { ...profile.service, ...waits } });
});

test("no wait becomes negative where the load was faster than predicted", () => {
  const fast = measured.map(() => ({ serviceMs: 1, prepareMs: 0, runMs: 5 }));
  const { service } = fitToLoad(newProfile(), fast, stagesOf);
  assert.deepEqual([service.fetchMs, service.handoverMs], [0, 0]);
  assert.ok([service.factors, service.fetchMoreMs, service.handoverMoreMs].flat().every((each) => each >= 0));
});
