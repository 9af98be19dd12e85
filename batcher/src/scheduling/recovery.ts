import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { Lane, Part } from "./lane.ts";
import { laneNamed, type Move, type State } from "./state.ts";
import { forgetAfterMs, overrunMs, type SentBatch, silent, type Worker } from "./workers.ts";

/** Into so many parts a batch that came back is cut: a poison image then costs a handful of runs and no neighbour. */
const partsOfReturned = 4;

/** The most runs a task may cost: enough to be cut out of the largest batch, and two more. */
export const attemptsMax = (lane: Lane): number => 2 + Math.ceil(Math.log2(lane.batchMax) / 2);

/** Takes back what was sent to workers that fell silent, hang, or never got it. */
export function recover(state: State, now: number, moves: Move[]): void {
  for (const worker of state.workers.values()) {
    if (!silent(worker, now) && !hangs(state, worker, now)) continue;
    worker.suspect = true;
    for (const each of batchesOf(state, worker)) moves.push(...takeBack(state, each, "lost"));
    if (now - worker.reportedAt > forgetAfterMs) forget(state, worker);
  }
  for (const each of state.sent.values()) {
    // A lost batch is remembered while its answers could still spare us its parts.
    if (each.lost && !each.tasks.some((id) => state.open.has(id))) state.sent.delete(each.id);
    if (each.lost || each.received || now < each.receiveBy) continue;
    const worker = state.workers.get(each.worker);
    if (worker !== undefined) worker.suspect = true;
    moves.push(...takeBack(state, each, "unreceived"));
  }
}

/**
 * The tasks of a batch are the scheduler's again: cut in parts that stay apart and go first. A task whose run fails
 * alone has failed; one that was lost with its worker, alone, is tried once more.
 */
export function takeBack(state: State, sent: SentBatch, how: HowItCameBack): Move[] {
  const lane = laneNamed(state, sent.lane);
  const tasks = sent.tasks.flatMap((id) => state.open.get(id)?.task ?? []);
  // What may still run somewhere is remembered: its answers are as good.
  if (how === "lost" || how === "unreceived") sent.lost = true;
  else state.sent.delete(sent.id);

  // No worker had it: no run was spent, nothing is suspected, and it goes again as it was, until its deadlines.
  if (how === "undelivered" || how === "unreceived") {
    if (tasks.length > 0) lane.parts.push({ tasks, attempt: sent.attempt, lostWithWorker: sent.suspicious });
    return [];
  }
  const alone = sent.tasks.length === 1;
  if (alone && how === "failed") return fail(state, tasks, "run_failed");
  const exhausted = sent.attempt >= attemptsMax(lane) || (alone && how === "lost" && sent.suspicious);
  if (exhausted) return fail(state, tasks, "attempts_exhausted");
  lane.parts.push(
    ...inParts(tasks).map(
      (part): Part => ({ tasks: part, attempt: sent.attempt + 1, lostWithWorker: how === "lost" }),
    ),
  );
  return [];
}

/**
 * `lost`: with a worker that fell silent or hangs. `failed`: its run did. `unreceived`: no worker has reported it in time.
 * `undelivered`: Kafka did not take it.
 */
export type HowItCameBack = "lost" | "failed" | "unreceived" | "undelivered";

export function inParts(tasks: BatchTask[]): BatchTask[][] {
  const size = Math.ceil(tasks.length / partsOfReturned);
  const parts: BatchTask[][] = [];
  for (let at = 0; at < tasks.length; at += size) parts.push(tasks.slice(at, at + size));
  return parts;
}

function fail(state: State, tasks: BatchTask[], reason: "run_failed" | "attempts_exhausted"): Move[] {
  return tasks.map((task) => {
    state.open.delete(task.id);
    return { kind: "answer", task, outcome: { kind: "failed", reason } };
  });
}

/** Its running batch has overrun by so much that it will not end. */
function hangs(state: State, worker: Worker, now: number): boolean {
  const { running } = worker.report;
  if (running === null) return false;
  const overrunAt = running.endsAt + overrunMs(running.endsAt - running.startedAt);
  return now > overrunAt && now > overrunAt + (state.sent.get(running.batch)?.crowdMs ?? 0);
}

const batchesOf = (state: State, worker: Worker): SentBatch[] =>
  [...state.sent.values()].filter((each) => each.worker === worker.id && !each.lost);

function forget(state: State, worker: Worker): void {
  state.workers.delete(worker.id);
  for (const each of state.sent.values()) if (each.worker === worker.id) state.sent.delete(each.id);
}
