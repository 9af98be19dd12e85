// Fixtures: states of processes as /live.json returns them.
import { slotsMax } from "../recent/slots.ts";
import type {
  LiveBatcher,
  LiveCaller,
  LiveCount,
  LiveInference,
  LiveIngress,
  LiveLane,
  LivePart,
  LiveState,
  LiveWorker,
} from "../state.ts";

export const count = (last10s: number, all = last10s): LiveCount => ({ last10s, all });

/** A series whose last five slots hold `last10s` together. */
export const series = (last10s: number): number[] =>
  Array.from({ length: slotsMax - 1 }, (_, i) => (i >= slotsMax - 6 ? last10s / 5 : 0));

export const stateOf = (
  part: LivePart,
  checks: Record<string, boolean> = { "redis-volatile": true, kafka: true },
): LiveState => ({
  version: "0.1.0",
  process: "batcher-00000000000012ab",
  uptimeMs: 90_000,
  checks,
  health: {
    memoryBytes: 150 * 2 ** 20,
    delayMs: { p50: 0.2, p99: 4, max: 31 },
    redis: { usedBytes: 2 ** 20, maxBytes: 2 ** 30 },
  },
  part,
});

export const lane = (fields: Partial<LiveLane> = {}): LiveLane => ({
  lane: "Dlib/ssd",
  build: { digest: "d582a241d582a241", modelVersion: "ece2f2ef015d", precision: "int8" },
  waiting: 0,
  waitingMax: 2_048,
  oldestMs: 0,
  wait: { kind: "nothing_waits" },
  workers: { free: 1, busy: 1 },
  usefulSize: 32,
  floor: 7,
  sent: series(300),
  waitingMost: series(10),
  reasons: {
    full: count(4, 40),
    floor: count(20, 200),
    slack: count(0),
    hold_expired: count(1, 5),
    retry: count(0),
    drain: count(0),
  },
  sizes: [
    { size: 3, batches: 5 },
    { size: 32, batches: 40 },
  ],
  shed: count(0),
  heldMs: count(250),
  run: {
    alphaMs: 40,
    betaMs: 2,
    residualMs: 1.5,
    expected: [1, 2, 4, 8, 16, 32].map((size) => ({ size, ms: 40 + 2 * size })),
    measured: [{ size: 4, runsMs: [47, 49] }],
  },
  predictions: [
    { predictedMs: 100, realMs: 102 },
    { predictedMs: 100, realMs: 90 },
  ],
  ...fields,
});

export const workerLane = (
  fields: Partial<LiveWorker["lanes"][number]> = {},
): LiveWorker["lanes"][number] => ({
  lane: "Dlib/ssd",
  digest: "d582a241d582a241",
  executionProvider: "cpu",
  networks: [{ model: "ssd", precision: "int8", fallback: false }],
  ...fields,
});

export const worker = (fields: Partial<LiveWorker> = {}): LiveWorker => ({
  worker: "inference-000000000000e158",
  state: "running",
  running: { lane: "Dlib/ssd", tasks: 14, leftMs: 25 },
  staged: 1,
  reportedAgoMs: 40,
  lanes: [workerLane()],
  runRatio: 1.04,
  comparedRuns: 100,
  isSlow: false,
  failedRuns: count(0, 2),
  lostBatches: count(0, 1),
  ...fields,
});

export const batcher = (fields: Partial<LiveBatcher> = {}): LiveBatcher => ({
  kind: "batcher",
  pool: "default",
  role: "active",
  lanes: [lane()],
  lanesOmitted: 0,
  workers: [worker()],
  workersOmitted: 0,
  sent: series(300),
  waiting: series(10),
  unserved: series(0),
  shed: { queue_too_long: count(0), deadline_infeasible: count(0), early_drop: count(0) },
  expired: count(0),
  failed: {
    image_lost: count(0),
    decode_timeout: count(0),
    run_failed: count(0),
    attempts_exhausted: count(0),
    build_gone: count(0),
  },
  settings: { utilisationTarget: 0.85, laneWaitingMax: 2_048, loadedMax: 8 },
  hops: { toWorkerMs: 3, fromWorkerMs: 2, replyMs: 4 },
  ...fields,
});

export const caller = (name: string, fields: Partial<LiveCaller> = {}): LiveCaller => ({
  caller: name,
  calls: count(0),
  refused: count(0),
  bytes: count(2 ** 20, 300 * 2 ** 20),
  inFlight: 0,
  ...fields,
});

export const ingress = (fields: Partial<LiveIngress> = {}): LiveIngress => ({
  kind: "ingress",
  active: 12,
  answered: series(100),
  refused: series(0),
  failed: series(0),
  outcomes: [{ outcome: "ok", words: "Answered.", kind: "answered", count: count(100, 900) }],
  parts: [
    { part: "queue", ms: 30 },
    { part: "run", ms: 60 },
    { part: "retry", ms: 0 },
  ],
  partsCalls: 600,
  totalMs: { p50: 88, p99: 240 },
  callers: {
    loudest: [caller("ants", { calls: count(90, 850), refused: count(8, 20), inFlight: 3 })],
    others: caller("~others", { calls: count(10, 50), refused: count(2) }),
  },
  limits: [
    { name: "bodies", used: 256 * 2 ** 20, max: 512 * 2 ** 20, unit: "bytes" },
    { name: "connections", used: 80, max: 10_000, unit: "connections" },
  ],
  pools: [{ pool: "default", lanes: [{ lane: "Dlib/ssd", waiting: 4, workers: 2, expectedWaitMs: 35 }] }],
  ...fields,
});

export const inference = (fields: Partial<LiveInference> = {}): LiveInference => ({
  kind: "inference",
  pool: "default",
  modelled: false,
  isStopping: false,
  partitions: 1,
  lanes: [
    {
      lane: "Dlib/ssd",
      build: { digest: "d582a241d582a241", modelVersion: "ece2f2ef015d", precision: "int8" },
      executionProvider: "cpu",
      networks: [
        { model: "Dlib", precision: "int8", fallback: false },
        { model: "ssd", precision: "float32", fallback: true },
      ],
      sizes: [{ size: 1, warmMs: 42 }],
    },
  ],
  running: { lane: "Dlib/ssd", tasks: 3, forMs: 12, leftMs: 20 },
  staged: 1,
  answering: 0,
  tasks: series(40),
  busy: Array.from({ length: slotsMax - 1 }, () => 0.5),
  answered: count(20, 100),
  failed: count(0),
  runs: [
    { lane: "Dlib/ssd", tasks: 3, bucket: 4, prepareMs: 11, runMs: 47, predictedRunMs: 48, isAnswered: true },
  ],
  ...fields,
});
