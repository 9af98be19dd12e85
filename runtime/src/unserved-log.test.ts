import assert from "node:assert/strict";
import test from "node:test";
import type { TaskId } from "@faceline/contracts/wire/ids";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { LogFields } from "./deduped-log.ts";
import { logUnserved } from "./unserved-log.ts";

test("each call that was not served leaves one line with its request id, the reason and the trace, if it is exported", () => {
  const lines: string[] = [];
  const write = (
    { request_id, team = "no team", trace_id = "not traced", ...facts }: LogFields,
    sentence: string,
  ) => void lines.push([request_id, team, sentence, facts.reason, facts["tasks"], trace_id].join(": "));
  const shed: Outcome = { kind: "shed", reason: "queue_too_long", predictedMs: 900, retryAfterMs: 500 };
  logUnserved({ warn: write, error: write }, [
    { ...end("a", 0, shed), tenant: "ants" },
    end("a", 1, shed),
    end("b", 0, { kind: "expired", lateByMs: 3 }),
    end("c", 0, { kind: "failed", reason: "run_failed" }),
    end("d", 0, { kind: "rejected", code: "no_face_detected" }),
  ]);
  assert.deepEqual(lines, [
    "a: ants: a request was refused or dropped under load: queue_too_long: 2: 11111111111111111111111111111111",
    "b: no team: a task was still waiting at its deadline: expired: 1: not traced",
    "c: no team: a task failed: run_failed: 1: not traced",
  ]);
});

const traceId = "1".repeat(32);

const end = (requestId: string, index: number, outcome: Outcome) => ({
  task: {
    id: `${requestId}/nnnnnnnnnnnnnnnn/${index}` as TaskId,
    traceparent: `00-${traceId}-${"2".repeat(16)}-${requestId === "a" ? "01" : "00"}`,
    arrivedAt: 0,
    deadlineAt: 100,
  },
  outcome,
});
