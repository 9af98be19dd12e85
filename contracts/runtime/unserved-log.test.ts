import assert from "node:assert/strict";
import test from "node:test";
import type { TaskId } from "../src/wire/ids.ts";
import type { Outcome } from "../src/wire/outcome.ts";
import { logUnserved } from "./unserved-log.ts";

test("each call that was not served leaves one line with its request id and the reason", () => {
  const lines: string[] = [];
  const write = (
    { reason, requestIds = [] }: { reason: string; requestIds?: readonly string[] },
    sentence: string,
  ) => void lines.push(`${requestIds.join()}: ${sentence}: ${reason}`);
  const shed: Outcome = { kind: "shed", reason: "queue_too_long", predictedMs: 900, retryAfterMs: 500 };
  logUnserved({ warn: write, error: write }, [
    end("a", 0, shed),
    end("a", 1, shed),
    end("b", 0, { kind: "expired", lateByMs: 3 }),
    end("c", 0, { kind: "failed", reason: "run_failed" }),
    end("d", 0, { kind: "rejected", code: "no_face_detected" }),
  ]);
  assert.deepEqual(lines, [
    "a: a call was refused or dropped under load: queue_too_long",
    "b: a task was still waiting at its deadline: expired",
    "c: a task failed: run_failed",
  ]);
});

const end = (requestId: string, index: number, outcome: Outcome) => ({
  task: { id: `${requestId}/nnnnnnnnnnnnnnnn/${index}` as TaskId },
  outcome,
});
