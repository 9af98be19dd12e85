// Tested by decision-log.test.ts.
import type { Log } from "@faceline/contracts/runtime/log";
import type { BatchId } from "@faceline/contracts/wire/batch";
import { callIdOf } from "@faceline/contracts/wire/ids";
import type { AnswerMove, BatchEnd } from "./scheduling/state.ts";

/** Logs a sentence for each call that the batcher refuses, drops or fails. Tasks of a call share one line. */
export function logAnswers(log: Log, moves: AnswerMove[]): void {
  if (!log.isLevelEnabled("debug")) return;
  const byCall = Map.groupBy(moves, ({ task }) => callIdOf(task.id));
  for (const [call, own] of byCall) {
    const { outcome, lane, task } = own[0]!;
    const requestId = call.slice(0, call.lastIndexOf("/"));
    const leftMs = task.deadlineAt - task.arrivedAt;
    log.debug({ requestId, lane, tasks: own.length, outcome: outcome.kind }, sentenceFor(outcome, leftMs));
  }
}

function sentenceFor(outcome: AnswerMove["outcome"], budgetMs: number): string {
  switch (outcome.kind) {
    case "shed": {
      const predicted = `the answer was predicted in ${ms(outcome.predictedMs)}`;
      return `shed, ${outcome.reason}: ${predicted}, and the call had ${ms(budgetMs)} in all`;
    }
    case "expired":
      return `late: the task waited until ${ms(outcome.lateByMs)} after its deadline`;
    case "failed":
      return `failed: ${outcome.reason}`;
  }
}

/** Logs a batch that ended without answers: its tasks are sent again or have failed. */
export function logBatchEnd(log: Log, batch: BatchId, { kind, finished }: BatchEnd): void {
  switch (kind) {
    case "answered":
    // What could not be sent was logged with its reason.
    case "undelivered":
    case "handed_over":
      return;
    case "lost":
      log.warn({ batch }, `a batch was lost, because its worker fell silent or hangs; ${then}`);
      return;
    case "unreceived":
      log.warn({ batch }, `no worker confirmed a batch in time; ${then}`);
      return;
    case "failed":
      log.warn({ batch, runMs: finished?.runMs }, `the run of a batch failed; ${then}`);
  }
}

const then = "its tasks are sent again, unless that was their last attempt";

const ms = (value: number): string => `${Math.round(value)} ms`;
