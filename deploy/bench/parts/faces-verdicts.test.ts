import assert from "node:assert/strict";
import test from "node:test";
import { tally, tallyText, type Verdict } from "./faces-verdicts.ts";

const verdict = (samePerson: boolean, verified: boolean | null): Verdict => ({
  first: "a.jpg",
  second: "b.jpg",
  samePerson,
  verified,
});

test("a verdict is right where it equals the label, and a missing one is not right", () => {
  const all = [
    verdict(true, true),
    verdict(false, false),
    verdict(true, false),
    verdict(false, true),
    verdict(false, null),
  ];
  assert.deepEqual(tally(all), { requested: 5, right: 2, unanswered: 1, threshold: null });
  assert.deepEqual(tally([]), { requested: 0, right: 0, unanswered: 0, threshold: null });
});

test("the threshold is the one that the server says it used", () => {
  const answered = { ...verdict(true, true), threshold: 0.07 };
  assert.equal(tally([verdict(true, null), answered]).threshold, 0.07);
});

test("a part of the pairs is not shown as all of them", () => {
  const all = { requested: 300, right: 299, unanswered: 0, threshold: 0.6 };
  assert.equal(tallyText(all, 300), "299 at 0.6");
  assert.equal(tallyText({ ...all, requested: 18, right: 17 }, 300), "17 of 18 requested at 0.6");
  assert.equal(tallyText({ ...all, right: 260, unanswered: 14 }, 300), "260 at 0.6, 14 without a verdict");
  assert.equal(tallyText({ ...all, threshold: null }, 300), "299");
});
