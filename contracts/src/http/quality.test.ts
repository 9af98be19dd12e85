import assert from "node:assert/strict";
import test from "node:test";
import { type FaceQuality, issueInWords, qualityIssues } from "./quality.ts";

const good = {
  eye_distance_px: 16,
  sharpness: 0.34,
  yaw: 25,
  pitch: -20,
  roll: 180,
  brightness: 0.1,
  outside_share: 0.1,
};

test("a face at every bound has no issue, and one beyond it has the issue of that bound alone", () => {
  assert.deepEqual(qualityIssues(good), []);
  assert.deepEqual(qualityIssues({ ...good, brightness: 0.9 }), []);
  const beyond: [Partial<FaceQuality>, string][] = [
    [{ eye_distance_px: 15.9 }, "too_small"],
    [{ sharpness: 0.339 }, "blurred"],
    [{ yaw: -26 }, "turned_away"],
    [{ pitch: 21 }, "turned_away"],
    [{ brightness: 0.099 }, "too_dark"],
    [{ brightness: 0.901 }, "too_bright"],
    [{ outside_share: 0.101 }, "cut_off"],
  ];
  for (const [numbers, issue] of beyond) assert.deepEqual(qualityIssues({ ...good, ...numbers }), [issue]);
});

test("an issue in words has what was measured and what is needed", () => {
  const words = issueInWords("turned_away", { ...good, yaw: -40 });
  assert.equal(words, "turned_away (yaw -40° and pitch -20°, at most 25° and 20° either way are allowed)");
});
