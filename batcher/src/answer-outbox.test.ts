import assert from "node:assert/strict";
import test from "node:test";
import { batchTasks } from "@faceline/contracts/wire/batch";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import { noWait } from "@faceline/contracts/wire/timing";
import type { AnswerDelivery } from "@faceline/runtime/answer-delivery";
import { call } from "../testing/fixtures.ts";
import { openAnswerOutbox } from "./answer-outbox.ts";

test("a task that failed leaves a dead letter with its ids and the reason, and a refused one leaves none", async () => {
  const letters: unknown[] = [];
  const lines: string[] = [];
  const write = ({ reason }: { reason: string }, sentence: string) =>
    void lines.push(`${sentence}: ${reason}`);
  const outbox = openAnswerOutbox({
    delivery: { deliver: async () => {} } as unknown as AnswerDelivery,
    clock: { now: () => 3 },
    pool: "default",
    deadLetters: { record: (letter) => void letters.push(letter) },
    dedupedLog: { warn: write, error: write },
  });
  const outcomes: Outcome[] = [
    { kind: "failed", reason: "run_failed" },
    { kind: "failed", reason: "attempts_exhausted" },
    { kind: "shed", reason: "queue_too_long", predictedMs: 900, retryAfterMs: 500 },
  ];
  const tasks = ["a", "b", "c"].flatMap((name) => batchTasks(call(name, 1, { now: 0 }).call));
  const answers = tasks.map((task, index) => ({
    task,
    tenant: "ants",
    outcome: outcomes[index]!,
    waited: noWait,
  }));
  await outbox.send(answers, 1, () => {});

  const { traceparent } = tasks[0]!;
  const ids = (name: string) => ({ task: `${name}/nnnnnnnnnnnnnnnn/0`, requestId: name, traceparent });
  assert.deepEqual(letters, [
    { topic: "faceline.tasks.default", ...ids("a"), reason: "run_failed" },
    { topic: "faceline.tasks.default", ...ids("b"), reason: "attempts_exhausted" },
  ]);
  assert.deepEqual(lines, [
    "a task failed: run_failed",
    "a task failed: attempts_exhausted",
    "a request was refused or dropped under load: queue_too_long",
  ]);
});
