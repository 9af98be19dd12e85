import assert from "node:assert/strict";
import { test } from "node:test";
import { answerWith } from "../testing/server.ts";
import { readAnswers } from "./answer-inbox.ts";

const good = (index: number) => ({
  ...answerWith({ kind: "rejected", code: "no_face_detected" }),
  task: `a/nnnnnnnnnnnnnnnn/${index}`,
});
const bytes = (message: unknown) => Buffer.from(JSON.stringify(message));

test("one answer that cannot be read does not drop its neighbours in the message", () => {
  const bad = { ...good(1), outcome: { kind: "faces", faces: [{ confidence: null }] } };
  const { answers, reasons } = readAnswers(bytes([good(0), bad, good(2)]));
  assert.deepEqual(answers, [good(0), good(2)]);
  assert.equal(reasons.length, 1);
  assert.match(reasons[0]!, /^outcome\.faces\.0/);
});

test("a message that is no list of answers has a reason", () => {
  for (const message of [bytes([]), bytes({}), Buffer.from("{")]) {
    const { answers, reasons } = readAnswers(message);
    assert.deepEqual([answers.length, reasons.length], [0, 1]);
  }
});
