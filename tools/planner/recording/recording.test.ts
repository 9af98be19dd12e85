import assert from "node:assert/strict";
import test from "node:test";
import type { RecordedCall } from "@faceline/contracts/recording/recorded-call";
import { LaneId } from "@faceline/contracts/wire/ids";
import { Recording } from "./recording.ts";

const lane = LaneId.parse("Dlib/ssd");

test("calls come in the order in which they end, and are written in that of their arrival", () => {
  const recording = new Recording();
  recording.add(call({ at: 1_000_040, tenant: 77 }));
  recording.add(call({ at: 1_000_000, tenant: 5, deadlineMs: 300 }));
  recording.add(call({ at: 1_000_050, tenant: 77, outcome: "late" }));
  const images = [{ bytes: 40_000, pixels: 300_000 }];
  assert.deepEqual(recording.take(), [
    { atMs: 0, tenant: 0, lane, timeBudgetMs: 300, images, outcome: "answered" },
    { atMs: 40, tenant: 1, lane, timeBudgetMs: 2_000, images, outcome: "answered" },
    { atMs: 50, tenant: 1, lane, timeBudgetMs: 2_000, images, outcome: "late" },
  ]);
});

test("a call waits as long as an earlier one may still be in flight", () => {
  const recording = new Recording();
  recording.add(call({ at: 1_000_000 }));
  recording.add(call({ at: 1_100_000 }));
  assert.equal(recording.take(1_100_000).length, 0);
  assert.equal(recording.take(1_200_000).length, 1);
  assert.equal(recording.held, 1);
});

test("a call that was refused unread has the images of the tenant's call before, or is counted", () => {
  const recording = new Recording();
  const unread = { lane: undefined, images: [], outcome: "shed" } as const;
  recording.add(call({ at: 1_000_000, tenant: 9, ...unread }));
  recording.add(call({ at: 1_000_001, tenant: 7 }));
  recording.add(call({ at: 1_000_002, tenant: 7, ...unread }));
  const calls = recording.take();
  assert.deepEqual(
    calls.map(({ lane: calledLane, images }) => [calledLane, images.length]),
    [
      [lane, 1],
      [lane, 1],
    ],
  );
  assert.deepEqual(recording.counts, { guessed: 1, unknown: 1 });
});

function call(changes: Partial<Record<keyof RecordedCall, unknown>>): RecordedCall {
  const usual = { at: 1_000_000, tenant: 1, lane, deadlineMs: 2_000, images: [[40_000, 300_000]] };
  return { ...usual, outcome: "answered", ...changes } as RecordedCall;
}
