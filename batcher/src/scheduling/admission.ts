import type { BatchTask } from "@faceline/contracts/batch";
import type { Outcome } from "@faceline/contracts/outcome";
import type { Lane } from "./lane.ts";
import type { State } from "./state.ts";
import { inService, serves, workload } from "./workers.ts";

/** With no worker in service, the first is assumed back after this. */
const assumedAbsenceMs = 3_000;

/** Until a task that arrives now, behind `ahead` others, begins to run. */
export function expectedWaitMs(state: State, lane: Lane, ahead: number, now: number): number {
  const workers = [...state.workers.values()].filter(
    (each) => inService(each, now) && serves(each, lane.name),
  );
  const freeAt = workers.map((each) => workload(each, state.sent.values(), now).freeAt);
  const firstFreeMs = workers.length === 0 ? assumedAbsenceMs : Math.min(...freeAt) - now;
  const prepareMs = state.settings.hopMs + lane.prepare.meanMs(1);
  const batchesAhead = Math.ceil((ahead + 1) / lane.usefulSize) - 1;
  const cycleMs = Math.max(lane.run.meanMs(lane.usefulSize), prepareMs);
  return Math.max(prepareMs, firstFreeMs) + (batchesAhead * cycleMs) / Math.max(1, workers.length);
}

/**
 * Refuses on arrival what would be answered too late, or what would make the queue longer than its bound: a refusal
 * then takes milliseconds, and the client can go elsewhere. Undefined: the tasks are admitted.
 */
export function refusal(state: State, lane: Lane, tasks: BatchTask[], now: number): Shed | undefined {
  const ahead = lane.waiting + tasks.length - 1;
  const waitMs = expectedWaitMs(state, lane, ahead, now);
  const runMs = lane.run.meanMs(lane.bucket(Math.min(ahead + 1, lane.usefulSize)));
  const predictedMs = waitMs + runMs + state.settings.replyMs;
  const shed = (reason: Shed["reason"]): Shed => ({
    kind: "shed",
    reason,
    predictedMs,
    retryAfterMs: waitMs,
  });
  if (lane.waiting + tasks.length > state.settings.laneWaitingMax) return shed("standing");
  if (now + predictedMs > tasks[0]!.deadlineAt) return shed("hopeless");
  return undefined;
}

type Shed = Extract<Outcome, { kind: "shed" }>;
