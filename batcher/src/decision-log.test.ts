import assert from "node:assert/strict";
import test from "node:test";
import type { Log } from "@faceline/contracts/runtime/log";
import type { BatchId } from "@faceline/contracts/wire/batch";
import { call, newPool, report } from "../testing/fixtures.ts";
import { logAnswers, logBatchEnd } from "./decision-log.ts";
import { decide } from "./scheduling/decide.ts";

test("a call that is refused gets one line, which says what was predicted and what it had", () => {
  const pool = newPool();
  decide(pool, report("w1", { sizes: [{ size: 1, runMs: 500 }] }), 0);
  const moves = decide(pool, call("late", 2, { now: 0, deadlineAt: 100 }), 0);
  const { log, lines } = recordingLog();
  logAnswers(
    log,
    moves.filter((move) => move.kind === "answer"),
  );
  assert.equal(lines.length, 1);
  assert.match(
    lines[0]!,
    /"requestId":"late".*"tasks":2.*shed, deadline_infeasible: .* \d+ ms, .* 100 ms in all/,
  );
});

test("a batch that ended without answers says why its tasks are sent again", () => {
  const { log, lines } = recordingLog();
  for (const kind of ["answered", "lost", "failed", "unreceived", "undelivered", "handed_over"] as const) {
    logBatchEnd(log, "batcher-0000000000000000/1" as BatchId, { kind });
  }
  assert.equal(lines.length, 3);
  assert.ok(lines.every((line) => line.includes("are sent again")));
});

function recordingLog() {
  const lines: string[] = [];
  const write = (facts: object, text: string) => void lines.push(`${JSON.stringify(facts)} ${text}`);
  return { lines, log: { isLevelEnabled: () => true, debug: write, warn: write } as unknown as Log };
}
