import assert from "node:assert/strict";
import test from "node:test";
import { newProfile } from "../testing/fixtures.ts";
import { runGapMs, withoutSimulatedGap } from "./run-gap.ts";

const { service } = newProfile();
const profile = newProfile({ service: { ...service, turnAroundMs: 20 } });

test("between runs a worker rests for what is left of its time", () => {
  assert.equal(runGapMs(48, 0.75), 16);
  assert.equal(runGapMs(48, 1.01), 0);
});

test("what a simulation has between runs by itself is not added to it again", () => {
  const fitted = withoutSimulatedGap(profile, ({ service }) => {
    assert.equal(service.turnAroundMs, 0);
    return { utilisation: 0.75, meanRunMs: { 1: 10, 4: 48 } };
  });
  assert.deepEqual(fitted, { ...profile, service: { ...profile.service, turnAroundMs: 4 } });
});

test("where workers wait longer in a simulation than they did, nothing is left", () => {
  const fitted = withoutSimulatedGap(profile, () => ({ utilisation: 0.5, meanRunMs: { 4: 48 } }));
  assert.equal(fitted.service.turnAroundMs, 0);
});
