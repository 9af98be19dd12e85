import assert from "node:assert/strict";
import test from "node:test";
import { type Told, tally, tallyText } from "./verdicts.ts";

const told = (samePerson: boolean, verified: boolean | null): Told => ({
  first: "a.jpg",
  second: "b.jpg",
  samePerson,
  verified,
});

test("a verdict is right where it is the label, and none is not right", () => {
  const all = [told(true, true), told(false, false), told(true, false), told(false, true), told(false, null)];
  assert.deepEqual(tally(all), { asked: 5, right: 2, unanswered: 1, threshold: null });
  assert.deepEqual(tally([]), { asked: 0, right: 0, unanswered: 0, threshold: null });
});

test("the threshold is the one that the server says it used", () => {
  const answered = { ...told(true, true), threshold: 0.07 };
  assert.equal(tally([told(true, null), answered]).threshold, 0.07);
});

test("a part of the pairs is not passed off as all of them", () => {
  const all = { asked: 300, right: 299, unanswered: 0, threshold: 0.6 };
  assert.equal(tallyText(all, 300), "299 at 0.6");
  assert.equal(tallyText({ ...all, asked: 18, right: 17 }, 300), "17 of 18 asked at 0.6");
  assert.equal(tallyText({ ...all, right: 260, unanswered: 14 }, 300), "260 at 0.6, 14 without a verdict");
  assert.equal(tallyText({ ...all, threshold: null }, 300), "299");
});
