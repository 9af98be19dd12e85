import assert from "node:assert/strict";
import test from "node:test";
import type { LogFields } from "@faceline/runtime/deduped-log";
import { call, newPool, passTime, report } from "../testing/fixtures.ts";
import { logBatchEnd, logIgnoredBatches } from "./decision-log.ts";
import { decide } from "./scheduling/decide.ts";
import type { Move } from "./scheduling/state/state.ts";

test("a lost batch says why its tasks are sent again, and names the calls and the attempt", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  const moves = [...decide(pool, call("a", 2, { now: 0 }), 0), ...passTime(pool, 0, 1_100)];
  const { log, lines } = recordingLog();
  for (const { sent, end } of endsOf(moves)) logBatchEnd(log, sent, end);
  assert.equal(lines.length, 1);
  assert.match(
    lines[0]!,
    /"reason":"lost","batch_id":".+","request_ids":\["a"\].*"attempt":1.* fell silent.* are sent again/,
  );
});

test("a batch that was answered, not sent or handed over leaves no line", () => {
  const pool = newPool();
  decide(pool, report("w1"), 0);
  const moves = [...decide(pool, call("a", 1, { now: 0 }), 0), ...passTime(pool, 0, 1_100)];
  const [lost] = endsOf(moves);
  const { log, lines } = recordingLog();
  for (const kind of ["answered", "failed", "unreceived", "undelivered", "handed_over"] as const) {
    logBatchEnd(log, lost!.sent, { kind });
  }
  assert.equal(lines.length, 2);
  assert.ok(lines.every((line) => line.includes("are sent again")));
});

test("a batch of a lane that its worker has not loaded leaves a line, one of a loaded lane leaves none", () => {
  const running = { batch: "batcher-ffffffffffffffff/3", startedAt: 0, endsAt: 50, tasks: ["a/n/0"] };
  const { log, lines } = recordingLog();
  for (const lanes of [["Dlib/ssd"], ["Dlib/blazeface"]]) {
    const event = report("w1", { lanes, running });
    assert.ok(event.kind === "report");
    logIgnoredBatches(log, event.report);
  }
  assert.equal(lines.length, 1);
  assert.match(
    lines[0]!,
    /"reason":"lane_not_loaded","batch_id":".+","request_ids":\["a"\].*"lane":"Dlib\/ssd"/,
  );
});

const endsOf = (moves: Move[]) => moves.filter((move) => move.kind === "batch_ended");

function recordingLog() {
  const lines: string[] = [];
  const warn = (fields: LogFields, text: string) => void lines.push(`${JSON.stringify(fields)} ${text}`);
  return { lines, log: { warn } };
}
