import assert from "node:assert/strict";
import test from "node:test";
import { ClockOffset } from "./clock-offset.ts";

test("a better measurement takes effect step by step, so that no time measured meanwhile jumps", () => {
  const offset = new ClockOffset();
  offset.add({ at: 0, roundTripMs: 40, offsetMs: 1_010 });
  assert.equal(offset.at(0), 1_010);
  assert.equal(offset.add({ at: 100, roundTripMs: 0.2, offsetMs: 1_000 }), true);
  assert.deepEqual([offset.at(100), offset.at(1_100), offset.at(2_000)], [1_009.5, 1_004.5, 1_000]);
  assert.equal(offset.at(9_000), 1_000);
});

test("a measurement with a longer round trip changes nothing", () => {
  const offset = new ClockOffset();
  offset.add({ at: 0, roundTripMs: 0.2, offsetMs: 1_000 });
  offset.add({ at: 5_000, roundTripMs: 30, offsetMs: 1_014 });
  assert.equal(offset.at(10_000), 1_000);
});

test("a measurement is used for a minute", () => {
  const offset = new ClockOffset();
  offset.add({ at: 0, roundTripMs: 0.2, offsetMs: 1_000 });
  offset.at(0);
  offset.add({ at: 60_001, roundTripMs: 1, offsetMs: 1_001 });
  assert.equal(offset.at(61_000), 1_001);
});

test("where the server's clock was set, the offset jumps", () => {
  const offset = new ClockOffset();
  offset.add({ at: 0, roundTripMs: 1, offsetMs: 1_000 });
  assert.equal(offset.at(0), 1_000);
  assert.equal(offset.add({ at: 1, roundTripMs: 1, offsetMs: -3_600_000 }), false);
  assert.equal(offset.at(1), -3_600_000);
});
