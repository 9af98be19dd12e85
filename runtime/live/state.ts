// Types only.
import type { DispatchReason } from "@faceline/contracts/wire/batch";
import type { failureReasons, ShedReason } from "@faceline/contracts/wire/outcome";

/**
 * State that GET /live.json of a process returns and the page at /live shows. Every list has a bound. It
 * holds no key, request or task, and teams only by their names. Fields that end in `Ms` are in milliseconds.
 */
export type LiveState = {
  /** Id of the process, which changes at every restart. */
  process: string;
  version: string;
  /** Commit, where it is known. */
  revision?: string;
  uptimeMs: number;
  /** Dependencies of the process, and whether each answered lately. */
  checks: Record<string, boolean>;
  health: ProcessHealth;
  part: LivePart;
};

/** Part of one kind of service. */
export type LivePart = LiveBatcher | LiveIngress | LiveInference;

export type ProcessHealth = {
  memoryBytes: number;
  /** Delay of the event loop in the last 10 s. */
  delayMs: { p50: number; p99: number; max: number };
  /** Memory of the volatile Redis; absent until it was read. */
  redis?: { usedBytes: number; maxBytes: number };
};

/** How often something happened: in 10 s that have just ended, and in the last five minutes. */
export type LiveCount = { last10s: number; all: number };

/** One number for each complete slot of 2 s, the oldest first. */
export type LiveSeries = number[];

export type LiveBatcher = {
  kind: "batcher";
  pool: string;
  /** `cut_off`: Kafka may have given its tasks to another batcher, so it decides nothing. */
  role: "active" | "standby" | "cut_off" | "stopping";
  lanes: LiveLane[];
  /** Lanes and workers beyond those that are listed. */
  lanesOmitted: number;
  workers: LiveWorker[];
  workersOmitted: number;
  /** Tasks that were sent to workers. */
  sent: LiveSeries;
  /** Most tasks that waited at a time. */
  waiting: LiveSeries;
  /** Tasks that ended without a run: shed, expired or failed. */
  unserved: LiveSeries;
  shed: Record<ShedReason, LiveCount>;
  expired: LiveCount;
  failed: Record<(typeof failureReasons)[number], LiveCount>;
  settings: LiveSettings;
  hops: { toWorkerMs: number; fromWorkerMs: number; replyMs: number };
};

type LiveSettings = {
  utilisationTarget: number;
  laneWaitingMax: number;
  /** The largest batch that workers have loaded; null while none has reported. */
  loadedMax: number | null;
};

type LiveBuild = { digest: string; modelVersion: string; precision: string };

/** One lane in one build. */
export type LiveLane = {
  lane: string;
  /** Null while no worker has reported the lane. */
  build: LiveBuild | null;
  waiting: number;
  waitingMax: number;
  /** How long the oldest task has waited; 0 where none waits. */
  oldestMs: number;
  wait: LaneWait;
  workers: { free: number; busy: number };
  /** The largest size that is worth while, and the smallest that is sent without a hold. */
  usefulSize: number;
  floor: number;
  sent: LiveSeries;
  waitingMost: LiveSeries;
  /** Batches by what decided their size. */
  reasons: Record<DispatchReason, LiveCount>;
  /** Batches by their number of tasks, ascending. */
  sizes: { size: number; batches: number }[];
  /** Tasks of the lane that were shed. */
  shed: LiveCount;
  /** Time for which the lane was held back although a worker was free. */
  heldMs: LiveCount;
  run: LiveRunModel;
  /** The last batches: from dispatch to the end of the run. */
  predictions: { predictedMs: number; realMs: number }[];
};

/** The learned time of a run of n tasks, `alphaMs + betaMs · n`, and the last runs. */
type LiveRunModel = {
  alphaMs: number;
  betaMs: number;
  /** Mean error of the predictions, without its sign. */
  residualMs: number;
  /** Expected time of each size. Not on the line where times are stepped. */
  expected: { size: number; ms: number }[];
  /** The last runs of each padded size. */
  measured: { size: number; runsMs: number[] }[];
};

/** Reason for which the tasks of a lane wait. */
export type LaneWait =
  /** No task waits. */
  | { kind: "nothing_waits" }
  | { kind: "no_worker" }
  /** Every worker has a batch running and one staged; the first has run both in about this time. */
  | { kind: "all_busy"; freeInMs: number }
  /** A worker takes the next batch in this time: just before its running one ends. */
  | { kind: "staging"; sendInMs: number }
  /** A worker is free, and the lane waits for more tasks. */
  | { kind: "held"; floor: number; holdMaxMs: number }
  /** A worker can take the next batch now, or something has just changed. */
  | { kind: "due" };

/** How the runs of a worker went in the last five minutes. */
export type LiveWorkerRuns = {
  /** Its run times ÷ those of the other workers for like batches; null: there are none to compare. */
  runRatio: number | null;
  /** The runs of which that is known. */
  comparedRuns: number;
  /** It takes at least 1.5 times as long as the others, in several runs. */
  isSlow: boolean;
  failedRuns: LiveCount;
  /** It fell silent, hung or did not confirm them. */
  lostBatches: LiveCount;
};

export type LiveWorker = LiveWorkerRuns & {
  worker: string;
  state: "free" | "running" | "preparing" | "stopping" | "silent" | "out_of_service";
  /** The running batch. */
  running?: { lane: string; tasks: number; leftMs: number };
  /** Batches that wait in it, or are on their way to it. */
  staged: number;
  reportedAgoMs: number;
  lanes: (Pick<LiveLoadedLane, "lane" | "executionProvider" | "networks"> & { digest: string })[];
};

export type LiveIngress = {
  kind: "ingress";
  /** Requests without a complete response. */
  active: number;
  answered: LiveSeries;
  refused: LiveSeries;
  failed: LiveSeries;
  /** Calls by `ok`, `client_left` or error code, with what that means; the most frequent first. */
  outcomes: { outcome: string; words: string; kind: OutcomeKind; count: LiveCount }[];
  /** Mean time of each part of the compute calls that were answered in the last minute. */
  parts: { part: string; ms: number }[];
  partsCalls: number;
  /** Total times of the last answered compute calls; null without one. */
  totalMs: { p50: number; p99: number } | null;
  callers: LiveCallers;
  limits: { name: LimitName; used: number; max: number; unit: "bytes" | "connections" }[];
  pools: LivePool[];
};

/** Who sends most to this process: at most ten teams, calls without a key, and all others as one. */
export type LiveCallers = { loudest: LiveCaller[]; others: LiveCaller };

export type LiveCaller = {
  /** Name of a team, or the tenant of calls without a key. */
  caller: string;
  /** Calls that have ended, and those of them that were refused. */
  calls: LiveCount;
  refused: LiveCount;
  /** Bytes of request bodies, as they arrive. */
  bytes: LiveCount;
  /** Admitted calls without a complete response. */
  inFlight: number;
};

/** `refused`: by a limit, or under load. `invalid`: the request is at fault. */
export type OutcomeKind = "answered" | "refused" | "failed" | "invalid" | "client_left";

export type LimitName = "bodies" | "images" | "connections";

export type LivePool = {
  pool: string;
  /** Null: no batcher has published its state lately. */
  lanes: { lane: string; waiting: number; workers: number; expectedWaitMs: number }[] | null;
};

export type LiveInference = {
  kind: "inference";
  pool: string;
  isStopping: boolean;
  partitions: number;
  modelled: boolean;
  lanes: LiveLoadedLane[];
  running: { lane: string; tasks: number; forMs: number; leftMs: number } | null;
  staged: number;
  answering: number;
  /** Tasks that ran. */
  tasks: LiveSeries;
  /** Share of each slot in which a batch ran, from 0 to 1. */
  busy: LiveSeries;
  answered: LiveCount;
  failed: LiveCount;
  /** The oldest first. */
  runs: LiveRun[];
};

export type LiveLoadedLane = {
  lane: string;
  build: LiveBuild;
  executionProvider: string;
  networks: { model: string; precision: string; fallback: boolean }[];
  sizes: { size: number; warmMs: number }[];
};

export type LiveRun = {
  lane: string;
  tasks: number;
  /** The size that it was padded to. */
  bucket: number;
  prepareMs: number;
  runMs: number;
  predictedRunMs: number;
  isAnswered: boolean;
};
