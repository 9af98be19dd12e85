// Tested by decide.test.ts (adoption, older reports, claimed partitions) and decide.sim.test.ts.
import type { FinishedBatch, Report } from "@faceline/contracts/wire/report";
import { requeue } from "./recovery.ts";
import type { SentBatch } from "./sent-batch.ts";
import { endTasks, laneOf, type Move, type State } from "./state.ts";

/**
 * Applies a report, which is a worker's whole state: it replaces what was known. An older report is ignored.
 */
export function applyReport(state: State, report: Report, now: number): Move[] {
  const known = state.workers.get(report.worker);
  if (known !== undefined && known.report.sequence >= report.sequence) return [];
  claimPartitions(state, report);
  const { worker: id, partitions } = report;
  state.workers.set(id, { id, report, reportedAt: now, partitions, unresponsive: false });
  state.hops.fromWorker.learn(now - report.sentAt);
  for (const loaded of report.lanes) {
    const lane = laneOf(state, loaded.lane);
    lane.warmUp(loaded.sizes, now);
    const before = known?.report.lanes.find((each) => each.lane === loaded.lane)?.sizes.length;
    if (before !== loaded.sizes.length) lane.sizes = largestSizes(state, loaded.lane);
  }

  const held = [...report.answering, ...(report.running === null ? [] : [report.running]), ...report.staged];
  for (const each of held) {
    const sent = state.sent.get(each.batch);
    if (sent === undefined) adoptBatch(state, report.worker, each, now);
    else confirmBatch(state, sent, report);
  }
  return [...requeueForgotten(state, report, held), ...finishBatches(state, report, now)];
}

/**
 * A partition has one holder, the worker that claimed it last: a holder that died is in service until it is
 * silent.
 */
function claimPartitions(state: State, { worker, partitions }: Report): void {
  for (const other of state.workers.values()) {
    if (other.id === worker || !other.partitions.some((each) => partitions.includes(each))) continue;
    other.partitions = other.partitions.filter((each) => !partitions.includes(each));
  }
}

/** The first report that names a batch confirms that its worker has received it. */
function confirmBatch(state: State, sent: SentBatch, report: Report): void {
  // Its partition may have moved: then the new holder runs it.
  sent.worker = report.worker;
  const { phase } = sent;
  if (phase.kind === "held" || (phase.kind === "lost" && phase.confirmed)) return;
  state.hops.toWorker.learn(report.sentAt - sent.sentAt);
  sent.phase = phase.kind === "lost" ? { kind: "lost", confirmed: true } : { kind: "held" };
}

/** Requeues batches that the worker held and no longer names: the report of how they ended was lost. */
function requeueForgotten(state: State, report: Report, held: Report["staged"]): Move[] {
  const moves: Move[] = [];
  for (const sent of state.sent.values()) {
    if (sent.worker !== report.worker || sent.phase.kind !== "held") continue;
    const isNamed = (each: { batch: string }) => each.batch === sent.id;
    if (held.some(isNamed) || report.finished.findLast(isNamed) !== undefined) continue;
    moves.push(...requeue(state, sent, "lost"));
  }
  return moves;
}

function finishBatches(state: State, report: Report, now: number): Move[] {
  const moves: Move[] = [];
  for (const finished of report.finished) {
    const sent = state.sent.get(finished.batch);
    if (sent === undefined) continue;
    if (finished.end === "answered") {
      learnTimes(state, sent, finished, report, now);
      state.sent.delete(sent.id);
      moves.push({ kind: "batch_ended", batch: sent.id, end: { kind: "answered", finished } });
      moves.push(endTasks(state, sent.tasks, sent.phase.kind === "lost"));
    } else if (sent.phase.kind === "lost") state.sent.delete(sent.id);
    else moves.push(...requeue(state, sent, "failed", finished));
  }
  return moves;
}

function learnTimes(
  state: State,
  sent: SentBatch,
  finished: FinishedBatch,
  report: Report,
  now: number,
): void {
  const lane = laneOf(state, sent.lane);
  if (finished.size > 0) {
    lane.run.learn(lane.paddedSize(finished.size), finished.runMs);
    lane.prepare.learn(finished.size, finished.prepareMs);
    lane.learnedAt = now;
  }
  state.hops.reply.learn(report.sentAt - finished.endedAt);
}

/**
 * Adopts a batch that another batcher sent. Its tasks are read again, before or after this, and must not be
 * sent twice.
 */
function adoptBatch(state: State, worker: string, held: Report["staged"][number], now: number): void {
  const lane = laneOf(state, held.lane);
  lane.removeTasks(held.tasks);
  state.sent.set(held.batch, {
    id: held.batch,
    lane: held.lane,
    tasks: held.tasks,
    attempt: 1,
    worker,
    adopted: true,
    sentAt: now,
    predictedRunMs: lane.meanMs(held.tasks.length),
    facesAllowanceMs: 0,
    mayBePoison: false,
    phase: { kind: "held" },
  });
}

/** Returns the sizes of the worker with the largest ones: a worker that ran out of memory offers fewer. */
function largestSizes(state: State, lane: string): number[] {
  const sizes = [...state.workers.values()].flatMap((worker) =>
    worker.report.lanes.filter((loaded) => loaded.lane === lane).map((loaded) => loaded.sizes),
  );
  const largest = sizes.reduce((largest, each) =>
    each.at(-1)!.size > largest.at(-1)!.size ? each : largest,
  );
  return largest.map((each) => each.size);
}
