import { DispatchReason } from "@faceline/contracts/wire/batch";
import { failureReasons, ShedReason } from "@faceline/contracts/wire/outcome";
import type {
  LiveBatcher,
  LiveCount,
  LiveLane,
  LiveWorker,
  LiveWorkerRuns,
} from "@faceline/runtime/live/state";
import type { KafkaLink } from "../pool-outbox.ts";
import { laneWait } from "../scheduling/capacity/lane-wait.ts";
import { laneSituation } from "../scheduling/capacity/situation.ts";
import type { Lane } from "../scheduling/state/lane.ts";
import type { State } from "../scheduling/state/state.ts";
import { isIdle } from "../scheduling/state/worker-loads.ts";
import { isInService, isSilent, type Worker } from "../scheduling/state/workers.ts";
import type { SchedulerHistory } from "./scheduler-history.ts";
import { compareRuns } from "./worker-history.ts";

/** Returns what the live page shows of a batcher. Reads the scheduler's state, and changes nothing. */
export function liveBatcher(state: State, history: SchedulerHistory, parts: BatcherParts): LiveBatcher {
  const { pool, now } = parts;
  const lanes = [...state.lanes.values()].toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const runs = new Map([...state.workers.keys()].map((id) => [id, history.ofWorker(id).runs(now)]));
  const compared = compareRuns(runs);
  const workers = [...state.workers.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return {
    kind: "batcher",
    pool,
    role: roleOf(state, parts),
    lanes: lanes.slice(0, lanesShownMax).map((lane) => liveLane(state, lane, history, now)),
    lanesOmitted: Math.max(0, lanes.length - lanesShownMax),
    workers: workers.slice(0, workersShownMax).map((worker) => ({
      ...liveWorker(state, worker, now),
      ...compared.get(worker.id)!,
      ...history.ofWorker(worker.id).failed(now),
    })),
    workersOmitted: Math.max(0, workers.length - workersShownMax),
    sent: history.tasks.series("sent", now),
    waiting: history.tasks.series("waiting", now),
    unserved: history.tasks.series("unserved", now),
    shed: counted(ShedReason.options, (reason) => history.shed.count(reason, now)),
    expired: history.tasks.count("expired", now),
    failed: counted(failureReasons, (reason) => history.failed.count(reason, now)),
    settings: {
      utilisationTarget: state.settings.utilisationTarget,
      laneWaitingMax: state.settings.laneWaitingMax,
      loadedMax: loadedMax(state),
    },
    hops: {
      toWorkerMs: state.hops.toWorker.ms,
      fromWorkerMs: state.hops.fromWorker.ms,
      replyMs: state.hops.reply.ms,
    },
  };
}

/** Returns the largest batch that a worker has loaded; null while none has reported. */
function loadedMax({ lanes }: State): number | null {
  const sizes = [...lanes.values()].flatMap(({ build, estimates }) =>
    build === null ? [] : estimates.sizes,
  );
  return sizes.length === 0 ? null : Math.max(...sizes);
}

function roleOf(state: State, { kafka, now }: Pick<BatcherParts, "kafka" | "now">): LiveBatcher["role"] {
  if (state.draining) return "stopping";
  if (!state.holdsPartition) return "standby";
  return kafka === "lost" || now >= state.sessionEndsAt ? "cut_off" : "active";
}

function liveLane(state: State, lane: Lane, history: SchedulerHistory, now: number): LiveLane {
  const ofLane = history.of(lane);
  const { counts, reasons, sizes, predictions } = ofLane;
  const loads = state.loads.of(lane, now);
  const free = loads.filter(isIdle).length;
  const { sizing } = laneSituation(state, lane, now);
  const { alpha, beta } = lane.estimates.run.line;
  return {
    lane: lane.id,
    build: lane.build,
    waiting: lane.waitingCount,
    waitingMax: state.settings.laneWaitingMax,
    oldestMs: Math.max(0, now - (lane.queue.oldest?.queuedAt ?? now)),
    wait: laneWait(state, lane, now),
    workers: { free, busy: loads.length - free },
    usefulSize: sizing.usefulSize,
    floor: sizing.floor,
    sent: counts.series("sent", now),
    waitingMost: counts.series("waiting", now),
    reasons: counted(DispatchReason.options, (reason) => reasons.count(reason, now)),
    sizes: sizes
      .keys()
      .map((size) => ({ size, batches: sizes.count(size, now).all }))
      .filter(({ batches }) => batches > 0)
      .toSorted((one, other) => one.size - other.size),
    shed: counts.count("shed", now),
    heldMs: counts.count("heldMs", now),
    run: {
      alphaMs: alpha,
      betaMs: beta,
      residualMs: lane.estimates.run.residualMs,
      expected: lane.estimates.sizes.map((size) => ({ size, ms: lane.estimates.run.meanMs(size) })),
      measured: ofLane.measured(),
    },
    predictions: predictions.values(),
  };
}

function liveWorker(state: State, worker: Worker, now: number): Omit<LiveWorker, keyof LiveWorkerRuns> {
  const { running, staged, lanes } = worker.report;
  let travelling = 0;
  for (const sent of state.sent.values()) {
    if (sent.worker === worker.id && sent.phase.kind === "travelling") travelling++;
  }
  const waiting = staged.length + travelling;
  return {
    worker: worker.id,
    state: workerState(worker, waiting, now),
    ...(running === null
      ? {}
      : { running: { lane: running.lane, tasks: running.tasks.length, leftMs: running.endsAt - now } }),
    staged: waiting,
    reportedAgoMs: Math.max(0, now - worker.reportedAt),
    lanes: lanes.slice(0, lanesShownMax).map(({ lane, build, executionProvider, precisions }) => ({
      lane,
      digest: build.digest,
      executionProvider,
      networks: precisions.map(({ model, precision, fallback }) => ({ model, precision, fallback })),
    })),
  };
}

function workerState(worker: Worker, waiting: number, now: number): LiveWorker["state"] {
  if (isSilent(worker, now)) return "silent";
  if (worker.report.draining) return "stopping";
  if (!isInService(worker, now)) return "out_of_service";
  if (worker.report.running !== null) return "running";
  return waiting > 0 ? "preparing" : "free";
}

const counted = <Key extends string>(
  keys: readonly Key[],
  count: (key: Key) => LiveCount,
): Record<Key, LiveCount> =>
  Object.fromEntries(keys.map((key) => [key, count(key)])) as Record<Key, LiveCount>;

const lanesShownMax = 16;
const workersShownMax = 64;

type BatcherParts = { pool: string; kafka: KafkaLink; now: number };
