import { counted, duration, number, percent, perSecond } from "@faceline/runtime/live/format";
import { lastMinutes, past5min, past10s, type TimeSpan } from "@faceline/runtime/live/recent-counts";
import type { LivePart, LiveRow, LiveStatus } from "@faceline/runtime/live/state";
import { attention, ok, problem } from "@faceline/runtime/live/status";
import type { KafkaLink } from "../pool-outbox.ts";
import { type LaneWait, laneWait } from "../scheduling/capacity/lane-wait.ts";
import { laneSituation } from "../scheduling/capacity/situation.ts";
import type { Lane } from "../scheduling/state/lane.ts";
import type { State } from "../scheduling/state/state.ts";
import { isIdle } from "../scheduling/state/worker-loads.ts";
import { hasWorker, isInService, isSilent, type Worker } from "../scheduling/state/workers.ts";
import type { SchedulerHistory, UnservedReason } from "./scheduler-history.ts";

/** Returns what the live page shows of a batcher. Reads the scheduler's state, and changes nothing. */
export function liveBatcher(state: State, history: SchedulerHistory, parts: BatcherParts): LivePart {
  const { pool, now } = parts;
  const role = roleOf(state, parts);
  const lanes = [...state.lanes.values()].toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const workers = [...state.workers.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const { counts } = history;
  const { toWorker, fromWorker } = state.hops;
  const refused = (span: TimeSpan) => sum(unservedReasons, (reason) => counts.sum(reason, span));
  return {
    subject: `batcher of pool ${pool}`,
    status: statusOf(state, history, { role, pool, now }),
    facts: {
      role,
      waiting: sum(lanes, ({ waitingCount }) => waitingCount),
      sentPerSecond: counts.sum("tasks", past10s(now)) / 10,
      unservedPerSecond: refused(past10s(now)) / 10,
      lanes: lanes.length,
      workers: workers.length,
      workersInService: workers.filter((worker) => isInService(worker, now)).length,
      toWorkerMs: toWorker.ms,
      fromWorkerMs: fromWorker.ms,
      utilisationTarget: `${state.settings.utilisationTarget}`,
    },
    tables: {
      // A standby has none of the pool's tasks.
      lanes: (role === "standby" ? [] : lanes.slice(0, lanesShownMax)).map((lane) =>
        laneRow(state, lane, history, now),
      ),
      workers: workers.slice(0, workersShownMax).map((worker) => workerRow(state, worker, history, now)),
      tasksWithoutRun: unservedReasons
        .map((reason) => ({
          reason,
          meaning: unserved[reason].meaning,
          past10s: counts.sum(reason, past10s(now)),
          past5min: counts.sum(reason, past5min(now)),
        }))
        .filter((row) => row.past5min > 0),
      lastMinutes: lastMinutes(now).map(({ minute, ...span }) => ({
        minute,
        tasksSent: counts.sum("tasks", span),
        batches: counts.sum("batches", span),
        largestBatch: counts.most("largest batch", span),
        mostWaiting: counts.most("most waiting", span),
        withoutRun: refused(span),
      })),
    },
  };
}

function roleOf(state: State, { kafka, now }: Pick<BatcherParts, "kafka" | "now">): Role {
  if (state.draining) return "stopping";
  if (!state.holdsPartition) return "standby";
  return kafka === "lost" || now >= state.sessionEndsAt ? "cut off" : "active";
}

function statusOf(state: State, history: SchedulerHistory, { role, pool, now }: StatusParts): LiveStatus {
  switch (role) {
    case "standby":
      return ok(
        "Standby",
        `Another batcher holds the tasks of pool ${pool}; its page has the lanes. This one takes over when that one ends.`,
      );
    case "cut off":
      return problem(
        "Cut off from Kafka",
        "Another batcher may have taken over by now, so this one sends and refuses nothing.",
      );
    case "stopping":
      return attention(
        "Stopping",
        "Waiting tasks are sent as soon as a worker can accept them; then the process ends.",
      );
    case "active":
      return activeStatus(state, history, now);
  }
}

function activeStatus({ lanes, workers }: State, history: SchedulerHistory, now: number): LiveStatus {
  const stranded = lanes.values().find((lane) => lane.waitingCount > 0 && !hasWorker({ workers }, lane, now));
  if (stranded !== undefined) {
    const tasks = `${counted(stranded.waitingCount, "task")} of ${stranded.id}`;
    return problem("No worker", `${tasks} wait, and no worker that has the lane loaded is in service.`);
  }
  const count = (key: Parameters<typeof history.counts.sum>[0]) => history.counts.sum(key, past10s(now));
  const sent = count("tasks");
  const [worst, ...others] = unservedReasons
    .map((reason) => ({ reason, tasks: count(reason), ...unserved[reason] }))
    .filter(({ tasks }) => tasks > 0)
    .toSorted((one, other) => levels[other.level] - levels[one.level] || other.tasks - one.tasks);
  if (worst !== undefined) {
    const tasks = sum([worst, ...others], (each) => each.tasks);
    const share = `${percent(tasks / (tasks + sent))} of the tasks, ${perSecond(tasks)}, end without a run.`;
    const { level, title, meaning, reason } = worst;
    return { level, title, detail: `${share} Main reason: they ${meaning} (${reason}).` };
  }
  const faults = [...workers.keys()]
    .map((id) => ({ id, batches: count(`failed by ${id}`) + count(`lost by ${id}`) }))
    .toSorted((one, other) => other.batches - one.batches);
  const retried = sum(faults, ({ batches }) => batches);
  if (retried > 0) {
    const why = "because a run failed or a worker stopped responding; most of them:";
    return attention(
      "Batches are sent again",
      `${counted(retried, "batch")} in the past 10 s, ${why} ${faults[0]!.id}.`,
    );
  }
  const slow = [...workers.keys()].find((id) => isSlow(history.runRatio(id)));
  if (slow !== undefined) {
    const times = `${number(history.runRatio(slow)!)} times as long as the others`;
    return attention("A worker is slow", `${slow} takes ${times} for batches of the same size.`);
  }
  if (sent === 0) return ok("Idle", "No task was sent to a worker in the past 10 s.");
  const perBatch = number(sent / Math.max(1, count("batches")));
  const oldestMs = Math.max(0, ...lanes.values().map((lane) => oldestMsOf(lane, now)));
  return ok(
    "All is well",
    `${counted(sent / 10, "task")} per second in batches of ${perBatch}; nothing is refused. The oldest task waits for ${duration(oldestMs)}.`,
  );
}

function laneRow(state: State, lane: Lane, history: SchedulerHistory, now: number): LiveRow {
  const { id, build, estimates, waitingCount } = lane;
  const loads = state.loads.of(lane, now);
  const free = loads.filter(isIdle).length;
  return {
    lane: id,
    waiting: waitingCount,
    oldestMs: oldestMsOf(lane, now),
    sentPerSecond: history.counts.sum(`tasks of ${id}`, past10s(now)) / 10,
    state: waitSentence(laneWait(state, lane, now)),
    workers: `${free} free, ${loads.length - free} busy`,
    batchTarget: laneSituation(state, lane, now).sizing.usefulSize,
    loadedSizes: build === null ? [] : estimates.sizes,
    runMs: estimates.run.line.alpha,
    perTaskMs: estimates.run.line.beta,
    precision: build?.precision ?? null,
    build: build?.digest ?? null,
  };
}

function workerRow(state: State, worker: Worker, history: SchedulerHistory, now: number): LiveRow {
  const { running, staged, lanes } = worker.report;
  const travelling = state.sent
    .values()
    .filter((sent) => sent.worker === worker.id && sent.phase.kind === "travelling");
  const stagedCount = staged.length + [...travelling].length;
  const ratio = history.runRatio(worker.id);
  return {
    worker: worker.id,
    state: workerState(worker, stagedCount, now),
    runs: running === null ? null : `${counted(running.tasks.length, "task")} of ${running.lane}`,
    leftMs: running === null ? null : Math.max(0, running.endsAt - now),
    staged: stagedCount,
    loaded: lanes
      .slice(0, lanesShownMax)
      .map(
        ({ lane, build, executionProvider: device }) =>
          `${lane} ${build.precision} on ${device} (${build.digest.slice(0, 8)})`,
      ),
    runTimes: ratio === null ? null : `${isSlow(ratio) ? "SLOW: " : ""}${number(ratio)} × the others`,
    failedPast5min: history.counts.sum(`failed by ${worker.id}`, past5min(now)),
    lostPast5min: history.counts.sum(`lost by ${worker.id}`, past5min(now)),
    reportedMs: Math.max(0, now - worker.reportedAt),
  };
}

function workerState(worker: Worker, staged: number, now: number): string {
  if (isSilent(worker, now)) return "silent: sends no reports";
  if (worker.report.draining) return "is stopping: accepts no new batch";
  if (!isInService(worker, now)) return "out of service: hangs, or has no partition";
  if (worker.report.running !== null) return "runs a batch";
  return staged > 0 ? "fetches and decodes images" : "free";
}

/** Says what the tasks of a lane wait for, as a sentence. */
function waitSentence(wait: LaneWait): string {
  switch (wait.kind) {
    case "nothing_waits":
      return "No task waits.";
    case "no_worker":
      return "No worker of this lane is in service.";
    case "all_busy":
      return `Every worker has one batch running and one behind it. The first of them ends both in ${duration(wait.freeInMs)}.`;
    case "staging":
      return `The next batch is sent in ${duration(wait.sendInMs)}, just before a worker ends its run, and may grow until then.`;
    case "held":
      return `Held for more tasks, for ${duration(wait.holdMaxMs)} at most: fewer than ${wait.floor} do not keep up with the arrivals.`;
    case "due":
      return "The next batch can be sent.";
  }
}

const overload = { level: "attention", title: "Overloaded" } as const;
const failure = { level: "problem", title: "Tasks fail" } as const;

/** Why tasks end without a run, and what the status then is. */
const unserved: Record<UnservedReason, Omit<LiveStatus, "detail"> & { meaning: string }> = {
  queue_too_long: { ...overload, meaning: "would have waited too long in the queue" },
  deadline_infeasible: { ...overload, meaning: "could not be answered before their deadline" },
  early_drop: { ...overload, meaning: "could be on time only in batches too small for the load" },
  expired: { level: "attention", title: "Tasks are late", meaning: "still waited at their deadline" },
  image_lost: { ...failure, meaning: "had an image that was no longer in Redis" },
  decode_timeout: { ...failure, meaning: "had an image that took too long to decode" },
  run_failed: { ...failure, meaning: "had a run that failed" },
  attempts_exhausted: { ...failure, meaning: "failed or lost their worker in every attempt" },
  build_gone: { ...failure, meaning: "need the build that their request began with, and no worker runs it" },
};
const unservedReasons = Object.keys(unserved) as UnservedReason[];
const levels = { ok: 0, attention: 1, problem: 2 };

const oldestMsOf = ({ queue }: Lane, now: number): number =>
  Math.max(0, now - (queue.oldest?.queuedAt ?? now));
const isSlow = (runRatio: number | null): boolean => runRatio !== null && runRatio >= slowRatioMin;
const sum = <Item>(items: readonly Item[], value: (item: Item) => number): number =>
  items.reduce((total, item) => total + value(item), 0);

const slowRatioMin = 1.5;
const lanesShownMax = 16;
const workersShownMax = 64;

type Role = "active" | "standby" | "cut off" | "stopping";
type StatusParts = { role: Role; pool: string; now: number };
type BatcherParts = { pool: string; kafka: KafkaLink; now: number };
