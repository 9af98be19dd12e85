import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { FinishedBatch, Report } from "@faceline/contracts/wire/report";
import type { Lane, TaskGroup } from "../state/lane.ts";
import { overrunMs, prepareOverrunMs, type SentBatch } from "../state/sent-batch.ts";
import { answerTask, type BatchEnd, type Move, type State } from "../state/state.ts";
import { forgetAfterMs, isSilent, type Worker } from "../state/workers.ts";

/**
 * Requeues what was sent to workers that fell silent, hang, or did not confirm it in time. Ends sent tasks
 * for which no client waits any longer.
 */
export function recoverLostBatches(state: State, now: number): Move[] {
  const moves: Move[] = [];
  for (const worker of state.workers.values()) {
    if (!isSilent(worker, now) && !isHung(state, worker, now)) continue;
    const live = liveBatchesOf(state, worker);
    // A silent worker is remembered for a minute, during which nothing about it changes.
    if (!worker.unresponsive) state.loads.changeWorker(worker, { unresponsive: true });
    for (const sent of live) moves.push(...requeue(state, sent, "lost"));
    if (now - worker.reportedAt > forgetAfterMs) state.loads.removeWorker(worker);
  }
  for (const sent of state.sent.values()) {
    if (sent.expiresAt <= now) moves.push(...expireTasks(state, sent, now));
    switch (sent.phase.kind) {
      case "travelling": {
        if (now < sent.phase.receiveBy) break;
        const worker = state.workers.get(sent.worker);
        if (worker !== undefined) state.loads.changeWorker(worker, { unresponsive: true });
        moves.push(...requeue(state, sent, "unreceived"));
        break;
      }
      case "lost":
        // It is remembered while its answers could still save a retry, and while its worker names it:
        // otherwise it would be adopted again from a hanging worker, and lost again.
        if (sent.tasks.some((id) => state.open.has(id)) || isNamed(state, sent)) break;
        state.loads.removeBatch(sent);
        break;
      case "held":
        break;
    }
  }
  return moves;
}

/**
 * Why the tasks of a batch are the scheduler's again. `lost`: its worker fell silent, hung, or no longer
 * names it. `failed`: its run failed. `unreceived`: no report named it in time. `undelivered`: Kafka did not
 * take it, or its partition has moved to a worker with another build, which refused it.
 */
type RequeueCause = "lost" | "failed" | "unreceived" | "undelivered";

/**
 * Requeues the tasks of a batch, cut into parts that stay separate and go first. A task whose run fails alone
 * has failed. So has a task that is lost alone if its last attempt was also lost with a worker.
 */
export function requeue(
  state: State,
  sent: SentBatch,
  cause: RequeueCause,
  finished?: FinishedBatch,
): Move[] {
  const end: BatchEnd = finished === undefined ? { kind: cause } : { kind: cause, finished };
  return [{ kind: "batch_ended", sent, end }, ...requeueTasks(state, sent, cause)];
}

function requeueTasks(state: State, sent: SentBatch, cause: RequeueCause): Move[] {
  const { lane } = sent;
  // A batch that Kafka took without an acknowledgement runs beside its repetition: both may be lost.
  lane.removeTasks(sent.tasks);
  const open = sent.tasks.flatMap((id) => state.open.get(id) ?? []);
  for (const { wait } of open) wait.requeue(state.lastDecisionAt);
  const tasks = open.map(({ task }) => task);
  const { retryParts } = lane;
  // A batch that may still run somewhere is remembered: its answers are as good.
  if (cause === "lost" || cause === "unreceived") {
    state.loads.changeBatch(sent, { phase: { kind: "lost", confirmed: sent.phase.kind === "held" } });
  } else state.loads.removeBatch(sent);

  // No worker had it: no run was spent and nothing is suspect, so it is sent again unchanged, until its
  // deadlines.
  if (cause === "undelivered" || cause === "unreceived") {
    const { attempt, mayBePoison } = sent;
    if (tasks.length > 0) retryParts.push({ tasks, attempt, mayBePoison });
    return [];
  }
  const isAlone = sent.tasks.length === 1;
  if (isAlone && cause === "failed") return failTasks(state, tasks, "run_failed");
  const isExhausted = sent.attempt >= attemptsMax(lane) || (isAlone && cause === "lost" && sent.mayBePoison);
  if (isExhausted) return failTasks(state, tasks, "attempts_exhausted");
  retryParts.push(
    ...splitIntoParts(tasks).map(
      (part): TaskGroup => ({ tasks: part, attempt: sent.attempt + 1, mayBePoison: cause === "lost" }),
    ),
  );
  return [];
}

/** The most runs that a task may cost: enough to isolate it from the largest batch, and two more. */
const attemptsMax = (lane: Lane): number => 2 + Math.ceil(Math.log2(lane.estimates.batchMax) / 2);

/**
 * A lost or failed batch is cut into this many parts, so that a poison image costs a few runs and no
 * neighbour.
 */
const retryPartCount = 4;

function splitIntoParts(tasks: BatchTask[]): BatchTask[][] {
  const size = Math.ceil(tasks.length / retryPartCount);
  const parts: BatchTask[][] = [];
  for (let index = 0; index < tasks.length; index += size) parts.push(tasks.slice(index, index + size));
  return parts;
}

function failTasks(state: State, tasks: BatchTask[], reason: "run_failed" | "attempts_exhausted"): Move[] {
  return tasks.map((task) => answerTask(state, task, { kind: "failed", reason }));
}

/**
 * Ends the tasks of a batch that is past its deadlines wherever it is, so that a batch which never ends does
 * not hold back the offset to commit.
 */
function expireTasks(state: State, sent: SentBatch, now: number): Move[] {
  return sent.tasks.flatMap((id): Move[] => {
    const task = state.open.get(id)?.task;
    if (task === undefined) return [];
    return [answerTask(state, task, { kind: "expired", lateByMs: now - task.deadlineAt })];
  });
}

/** Whether its run or preparation has exceeded the prediction by so much that it will not end. */
function isHung(state: State, worker: Worker, now: number): boolean {
  const { running } = worker.report;
  if (running === null) return isPreparationHung(state, worker, now);
  const { predictedRunMs = running.endsAt - running.startedAt, discountedMs = 0 } =
    state.sent.get(running.batch) ?? {};
  return now > running.endsAt + overrunMs(predictedRunMs) + discountedMs;
}

function isPreparationHung(state: State, { preparing }: Worker, now: number): boolean {
  const sent = preparing && state.sent.get(preparing.batch);
  if (sent === undefined) return false;
  const { lane, tasks, load = lane.estimates.lightLoad(tasks.length) } = sent;
  const predictedMs = lane.estimates.prepareHighMs(load);
  return now > preparing!.since + predictedMs + prepareOverrunMs(predictedMs);
}

/** The batches that a worker has. */
export const heldBatches = ({ answering, running, staged }: Report): Report["staged"] => [
  ...answering,
  ...(running === null ? [] : [running]),
  ...staged,
];

/** Whether its worker still had it when it reported last. */
function isNamed({ workers }: State, { id, worker }: SentBatch): boolean {
  const report = workers.get(worker)?.report;
  return report !== undefined && heldBatches(report).some(({ batch }) => batch === id);
}

const liveBatchesOf = (state: State, worker: Worker): SentBatch[] =>
  [...state.sent.values()].filter((sent) => sent.worker === worker.id && sent.phase.kind !== "lost");
