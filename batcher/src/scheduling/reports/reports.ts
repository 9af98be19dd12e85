import { callIdOf } from "@faceline/contracts/wire/ids";
import type { FinishedBatch, Report } from "@faceline/contracts/wire/report";
import type { Lane } from "../state/lane.ts";
import { newSentBatch, type SentBatch } from "../state/sent-batch.ts";
import { endTasks, laneOf, type Move, type State } from "../state/state.ts";
import type { Worker } from "../state/workers.ts";
import { moveCall } from "./lane-builds.ts";
import { heldBatches, requeue } from "./recovery.ts";

/**
 * Applies a report, which is a worker's whole state: it replaces the one before. An older report is ignored.
 */
export function applyReport(state: State, report: Report, now: number): Move[] {
  const before = state.workers.get(report.worker);
  if (before !== undefined && before.report.sequence >= report.sequence) return [];
  claimPartitions(state, report);
  const { worker: id, partitions } = report;
  const preparing = preparationOf(report, before, now);
  const hadPartitions =
    before !== undefined && (before.lostPartitions || before.report.partitions.length > 0);
  const lostPartitions = hadPartitions && partitions.length === 0;
  const worker = { id, report, reportedAt: now, partitions, lostPartitions, preparing, unresponsive: false };
  state.loads.setWorker(worker);
  state.hops.fromWorker.learn(now - report.sentAt);
  for (const loaded of report.lanes) {
    const lane = laneOf(state, loaded.lane, loaded.build, now);
    lane.estimates.warmUp(loaded.sizes, now);
    const loadedBefore = before?.report.lanes.find((each) => each.lane === loaded.lane);
    if (loadedBefore?.sizes.length !== loaded.sizes.length) lane.estimates.sizes = largestSizes(state, lane);
  }

  const held = heldBatches(report);
  for (const each of held) {
    const sent = state.sent.get(each.batch);
    if (sent === undefined) adoptBatch(state, report, each, now);
    else confirmBatch(state, sent, report.worker, each.receivedAt);
  }
  return [...requeueForgotten(state, report, held), ...finishBatches(state, report, now)];
}

/**
 * While a batch runs, the next may be prepared and wait; then only the run can hang. `since` moves on while
 * images arrive: over a slow network they may take as long as the batch has until its deadlines, and the
 * worker itself gives up then.
 */
function preparationOf(
  { running, staged, imageBytes }: Report,
  before: Worker | undefined,
  now: number,
): Worker["preparing"] {
  const [head] = staged;
  if (running !== null || head === undefined) return undefined;
  const isStanding = before?.preparing?.batch === head.batch && before.report.imageBytes === imageBytes;
  return isStanding ? before.preparing : { batch: head.batch, since: now };
}

/**
 * A partition has one holder, the worker that claimed it last: a holder that died is in service until it is
 * silent.
 */
function claimPartitions(state: State, { worker, partitions }: Report): void {
  for (const other of state.workers.values()) {
    if (other.id === worker || !other.partitions.some((each) => partitions.includes(each))) continue;
    const left = other.partitions.filter((each) => !partitions.includes(each));
    state.loads.changeWorker(other, { partitions: left });
  }
}

/** The first report that names a batch confirms that its worker has received it. */
function confirmBatch(state: State, sent: SentBatch, worker: string, receivedAt: number): void {
  const { phase } = sent;
  const isConfirmed = phase.kind === "held" || (phase.kind === "lost" && phase.confirmed);
  if (!isConfirmed) state.hops.toWorker.learn(receivedAt - sent.sentAt);
  state.loads.changeBatch(sent, {
    // Its partition may have moved: then the new holder runs it.
    worker,
    phase: phase.kind === "lost" ? { kind: "lost", confirmed: true } : { kind: "held" },
  });
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
  if (state.sent.size === 0) return moves;
  for (const finished of report.finished) {
    const sent = state.sent.get(finished.batch);
    if (sent === undefined) continue;
    // Kafka has delivered it twice, and the worker that it was meant for has it.
    if (finished.end === "refused" && sent.phase.kind === "held") continue;
    if (finished.end === "answered") {
      learnTimes(state, { sent, finished, report, now });
      chargeExtraFaces(state, sent, finished);
      state.loads.removeBatch(sent);
      moves.push({ kind: "batch_ended", sent, end: { kind: "answered", finished } });
      for (const id of sent.tasks) {
        const open = state.open.get(id);
        if (open !== undefined) open.call.answered = true;
      }
      moves.push(endTasks(state, sent.tasks, sent.phase.kind === "lost"));
    } else if (sent.phase.kind === "lost") state.loads.removeBatch(sent);
    else {
      const cause = finished.end === "failed" ? "failed" : "undelivered";
      moves.push(...requeue(state, sent, cause, finished));
    }
  }
  return moves;
}

/** Charges tenants for all faces but the first in an image: their number is known only after its run. */
function chargeExtraFaces(state: State, { lane }: SentBatch, { crowds }: FinishedBatch): void {
  for (const { task, faces } of crowds) {
    const tenant = state.open.get(task)?.call.tenant;
    if (tenant !== undefined) lane.queue.charge(tenant, faceWeight * (faces - 1));
  }
}

/** Time of a worker that each further face of an image takes, in light tasks. */
const faceWeight = 0.5;

function learnTimes({ hops }: State, { sent, finished, report, now }: AnsweredBatch): void {
  const { estimates } = sent.lane;
  if (finished.size > 0) {
    estimates.learnRun(finished.size, finished.runMs, now);
    if (sent.load !== undefined) {
      const cost = (sent.load.cost * finished.size) / sent.load.count;
      estimates.learnPreparation({ ...sent.load, cost }, finished.prepareMs);
    }
  }
  hops.reply.learn(report.sentAt - finished.endedAt);
}

type AnsweredBatch = { sent: SentBatch; finished: FinishedBatch; report: Report; now: number };

/**
 * Adopts a batch that another batcher sent. Its tasks are read again, before or after this, and must not be
 * sent twice. A batch of a lane that the worker has not loaded has no build, so it is ignored: its tasks are
 * sent once more, and their first answers count.
 */
function adoptBatch(
  state: State,
  { worker, lanes }: Report,
  held: Report["staged"][number],
  now: number,
): void {
  const loaded = lanes.find((each) => each.lane === held.lane);
  if (loaded === undefined) return;
  const lane = laneOf(state, held.lane, loaded.build, now);
  for (const id of held.tasks) {
    const open = state.open.get(id);
    open?.call.lane.removeTasks([id]);
    // The rest of its call waited for another build.
    if (open !== undefined && open.call.lane !== lane)
      moveCall(state, callIdOf(id), open.call.lane, lane, now);
    if (open !== undefined) open.call.lane = lane;
  }
  const open = held.tasks.flatMap((id) => state.open.get(id) ?? []);
  const sent = newSentBatch({
    id: held.batch,
    lane,
    tasks: held.tasks,
    deadlines: open.map(({ task }) => task.deadlineAt),
    attempt: held.attempt,
    worker,
    sentAt: now,
    phase: { kind: "held" },
  });
  state.loads.addBatch(sent);
}

/** Returns the sizes of the worker with the largest ones: a worker that ran out of memory offers fewer. */
export function largestSizes(state: State, { id, build }: Lane): number[] {
  const sizes = [...state.workers.values()].flatMap((worker) =>
    worker.report.lanes
      .filter((loaded) => loaded.lane === id && loaded.build.digest === build?.digest)
      .map((loaded) => loaded.sizes),
  );
  const largest = sizes.reduce((largest, each) =>
    each.at(-1)!.size > largest.at(-1)!.size ? each : largest,
  );
  return largest.map((each) => each.size);
}
