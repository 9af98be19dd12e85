import type { FinishedBatch, Report } from "@faceline/contracts/wire/report";
import { takeBack } from "./recovery.ts";
import { end, laneNamed, type Move, type State } from "./state.ts";
import { overrunMs, type SentBatch } from "./workers.ts";

/** A report is a worker's whole state: it replaces what was known. An older one is ignored. */
export function hear(state: State, report: Report, now: number): Move[] {
  const known = state.workers.get(report.worker);
  if (known !== undefined && known.report.sequence >= report.sequence) return [];
  const { worker: id, partitions } = report;
  // A partition has one holder: whoever claimed it last. One that died is still in service until it has been silent.
  for (const other of state.workers.values()) {
    if (other.id === id || !other.partitions.some((each) => partitions.includes(each))) continue;
    other.partitions = other.partitions.filter((each) => !partitions.includes(each));
  }
  state.workers.set(id, { id, report, reportedAt: now, partitions, suspect: false });
  state.hops.fromWorker.learn(now - report.sentAt);
  for (const loaded of report.lanes) {
    const lane = laneNamed(state, loaded.lane);
    lane.warm(loaded.sizes, now);
    const before = known?.report.lanes.find((each) => each.lane === loaded.lane)?.sizes.length;
    if (before !== loaded.sizes.length) lane.sizes = sizesOffered(state, loaded.lane);
  }

  const held = [...report.answering, ...(report.running === null ? [] : [report.running]), ...report.staged];
  for (const each of held) {
    const sent = state.sent.get(each.batch);
    if (sent === undefined) adopt(state, report.worker, each, now);
    else receive(state, sent, report);
  }
  const moves: Move[] = [];
  for (const sent of state.sent.values()) {
    if (sent.worker !== report.worker || !sent.received || sent.lost) continue;
    // It had it and has it no more, and how it ended was in a report that we never got.
    const named = (each: { batch: string }) => each.batch === sent.id;
    if (held.some(named) || report.finished.findLast(named) !== undefined) continue;
    moves.push(...takeBack(state, sent, "lost"));
  }
  for (const finished of report.finished) {
    const sent = state.sent.get(finished.batch);
    if (sent !== undefined) moves.push(...finish(state, sent, finished, report, now));
  }
  return moves;
}

function receive(state: State, sent: SentBatch, report: Report): void {
  if (!sent.received) state.hops.toWorker.learn(report.sentAt - sent.sentAt);
  sent.received = true;
  // Its partition may have moved: then the batch is run by the new holder.
  sent.worker = report.worker;
}

function finish(state: State, sent: SentBatch, finished: FinishedBatch, report: Report, now: number): Move[] {
  if (finished.end === "failed") {
    if (!sent.lost) return takeBack(state, sent, "failed");
    state.sent.delete(sent.id);
    return [];
  }
  const lane = laneNamed(state, sent.lane);
  if (finished.size > 0) {
    lane.run.learn(lane.bucket(finished.size), finished.runMs);
    lane.prepare.learn(finished.size, finished.prepareMs);
    lane.learnedAt = now;
  }
  state.hops.reply.learn(report.sentAt - finished.endedAt);
  state.sent.delete(sent.id);
  return [end(state, sent.tasks, sent.lost)];
}

/** A batch that a predecessor sent: its tasks are read again, before or after this, and must not be sent twice. */
function adopt(state: State, worker: string, held: Report["staged"][number], now: number): void {
  const lane = laneNamed(state, held.lane);
  lane.removeTasks(held.tasks);
  const predictedRunMs = lane.meanMs(held.tasks.length);
  state.sent.set(held.batch, {
    id: held.batch,
    lane: held.lane,
    tasks: held.tasks,
    attempt: 1,
    worker,
    adopted: true,
    sentAt: now,
    received: true,
    predictedRunMs,
    crowdMs: 0,
    receiveBy: now + overrunMs(predictedRunMs),
    lost: false,
    suspicious: false,
  });
}

/** A worker that ran out of memory offers fewer sizes than the others: what the best of them offers stands. */
function sizesOffered(state: State, lane: string): number[] {
  const offers = [...state.workers.values()].flatMap((worker) =>
    worker.report.lanes.filter((loaded) => loaded.lane === lane).map((loaded) => loaded.sizes),
  );
  const most = offers.reduce((most, offer) => (offer.at(-1)!.size > most.at(-1)!.size ? offer : most));
  return most.map((each) => each.size);
}
