import assert from "node:assert/strict";
import test from "node:test";
import { newProfile } from "../../testing/fixtures.ts";
import type { Profile } from "../profile/profile.ts";
import { fitToLoad } from "./load-fit.ts";

/** A machine on which everything waits 2 ms longer than its profile says, and a run by its batch's size. */
const stagesOf = ({ service }: Profile) => ({
  serviceMs: service.intakeMs + service.toWorkerMs + service.replyMs + 2,
  prepareMs: service.fetchMs + 3,
  runMs: 1.3 * service.handoverMs + 20,
});

test("the waits around the engine become those of the load", () => {
  const fitted = fitToLoad(newProfile(), { serviceMs: 15, prepareMs: 4.5, runMs: 26 }, stagesOf);
  const { serviceMs, prepareMs, runMs } = stagesOf(fitted);
  for (const [ms, expected] of [
    [serviceMs, 15],
    [prepareMs, 4.5],
    [runMs, 26],
  ] as const) {
    assert.ok(Math.abs(ms / expected - 1) < 0.01, `${ms} instead of ${expected}`);
  }
  const { intakeMs, toWorkerMs, replyMs } = newProfile().service;
  assert.equal(
    (fitted.service.intakeMs / fitted.service.replyMs).toFixed(6),
    (intakeMs / replyMs).toFixed(6),
    "hops keep their proportions",
  );
  assert.ok(toWorkerMs < fitted.service.toWorkerMs);
});

test("no wait becomes negative where the load was faster than predicted", () => {
  const { service } = fitToLoad(newProfile(), { serviceMs: 1, prepareMs: 0, runMs: 5 }, stagesOf);
  assert.deepEqual([service.fetchMs, service.handoverMs], [0, 0]);
  assert.ok(service.intakeMs >= 0 && service.replyMs >= 0);
});
