import assert from "node:assert/strict";
import test from "node:test";
import { newTrace } from "../testing/fixtures.ts";
import { trafficShapes } from "./drawn-traffic.ts";

for (const shape of trafficShapes) {
  test(`${shape} traffic has the rate, the tenants and the images of its plan`, () => {
    const trace = newTrace({ shape, perSecond: 200, seconds: 200 });
    const perSecond = trace.calls / 200;
    // Bursts of 2 s, a tenth of the time: their number varies by about 13% in 200 s.
    assert.ok(perSecond > 160 && perSecond < 250, `${perSecond} calls a second`);
    assert.equal(trace.images, 2 * trace.calls);
    assert.deepEqual(new Set(trace.columns.tenant), new Set([0, 1, 2]));
  });
}

test("a diurnal rate is nine times as high in the middle as at the ends", () => {
  const trace = newTrace({ shape: "diurnal", perSecond: 200, seconds: 100 });
  const between = (from: number, until: number) => trace.indexAt(until * 1_000) - trace.indexAt(from * 1_000);
  const ratio = between(45, 55) / (between(0, 5) + between(95, 100));
  assert.ok(ratio > 6 && ratio < 12, `${ratio}`);
});

test("the same seed draws the same calls, and another one draws others", () => {
  const at = (seed: number) => newTrace({ seed }).columns.atMs;
  assert.deepEqual(at(1), at(1));
  assert.notDeepEqual(at(1), at(2));
});
