import type { Batch, BatchId } from "@faceline/contracts/wire/batch";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { FinishedBatch, Report } from "@faceline/contracts/wire/report";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { decide } from "../src/scheduling/decide.ts";
import {
  type Event,
  type Move,
  newState,
  type SchedulingSettings,
  type State,
} from "../src/scheduling/state/state.ts";

// Events and pools for tests of the scheduler: workers whose batch of b tasks takes `10 + 2·b` ms, hops of 3
// ms.

const lane = "Dlib/ssd" as Report["lanes"][number]["lane"];
const nonce = "nnnnnnnnnnnnnnnn";

export const newPool = (settings: Partial<SchedulingSettings> = {}): State =>
  newState("batcher-0000000000000000", {
    laneWaitingMax: 1_000,
    utilisationTarget: 0.85,
    batchMax: Number.POSITIVE_INFINITY,
    hopMs: 3,
    replyMs: 3,
    ...settings,
  });

export function call(
  name: string,
  count: number,
  { now, deadlineAt = now + 30_000, cost = 1 }: CallFields,
  tenant = "team",
): Extract<Event, { kind: "arrive" }> {
  const message = {
    requestId: name,
    call: `${name}/${nonce}`,
    tenant,
    lane,
    ingress: "ingress-0000000000000000",
    arrivedAt: now,
    deadlineAt,
    options: { align: true, enforceDetection: true, facesMax: 1, fullResolution: false },
    traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`,
    tasks: Array.from({ length: count }, (_, index) => `${name}/${nonce}/${index}`),
    costs: Array.from({ length: count }, () => cost),
  };
  return { kind: "arrive", call: message as unknown as CallTasks };
}

/** A build whose digest is this digit over and over. */
export const buildOf = (digit: string): LaneBuild => ({
  digest: digit.repeat(16),
  modelVersion: "0".repeat(12),
  precision: "float32",
});
const testBuild = buildOf("0");

let sequence = 1_000;

export function report(worker: string, fields: ReportFields = {}): Event {
  const { sizes = [1, 2, 4, 8].map((size) => ({ size, runMs: 10 + 2 * size })) } = fields;
  const { running } = fields;
  const message = {
    worker: `inference-${worker}`,
    sequence: fields.sequence ?? sequence++,
    sentAt: fields.sentAt ?? 0,
    draining: fields.draining ?? false,
    partitions: fields.partitions ?? [fields.partition ?? 0],
    lanes: (fields.lanes ?? [lane]).map((lane) => ({
      lane,
      build: fields.build ?? testBuild,
      executionProvider: "cpu",
      precisions: [],
      sizes,
    })),
    running:
      running === undefined
        ? null
        : { ...heldOf(running.batch, fields, running.tasks), ...running, batch: idOf(running.batch) },
    staged: (fields.staged ?? []).map((batch) => heldOf(batch, fields)),
    answering: [],
    imageBytes: fields.imageBytes ?? 0,
    finished: fields.finished ?? [],
  };
  return { kind: "report", report: message as unknown as Report };
}

const idOf = (batch: Batch | string): string => (typeof batch === "string" ? batch : batch.id);

function heldOf(batch: Batch | string, { sentAt: receivedAt = 0 }: ReportFields, tasks: string[] = []) {
  if (typeof batch === "string") return { batch, lane, tasks, attempt: 1, receivedAt };
  const { id, attempt } = batch;
  return { batch: id, lane, tasks: taskIds(batch), attempt, receivedAt };
}

export const answered = (batch: { id: string; tasks?: unknown[] }): FinishedBatch => ({
  batch: batch.id as BatchId,
  lane,
  size: batch.tasks?.length ?? 1,
  end: "answered",
  prepareMs: 20,
  runMs: 10 + 2 * (batch.tasks?.length ?? 1),
  endedAt: 0,
  crowds: [],
});

/**
 * Sends the ticks of the scheduler loop, one each 100 ms, after `from` and up to `until`; returns their
 * moves.
 */
export function passTime(pool: State, from: number, until: number): Move[] {
  const moves: Move[] = [];
  for (let now = from + 100; now <= until; now += 100) moves.push(...decide(pool, { kind: "timer" }, now));
  return moves;
}

/** Returns a pool whose workers, `w0` and so on with partition 0 and so on, are idle for two seconds. */
export function idlePool(workers: number, settings: Partial<SchedulingSettings> = {}): State {
  const pool = newPool(settings);
  for (const now of [-2_000, 0]) {
    for (let index = 0; index < workers; index++) {
      decide(pool, report(`w${index}`, { partition: index, sentAt: now }), now);
    }
  }
  return pool;
}

export const taskIds = (batch: Batch): string[] => batch.tasks.map((task) => task.id);

export const batchesOf = (moves: Move[]): Batch[] =>
  moves.flatMap((move) => (move.kind === "dispatch" ? [move.batch] : []));

export const answersOf = (moves: Move[]): [string, Outcome][] =>
  moves.flatMap((move) =>
    move.kind === "answer" ? [[move.task.id, move.outcome] as [string, Outcome]] : [],
  );

type CallFields = { now: number; deadlineAt?: number; cost?: number };

type ReportFields = {
  sequence?: number;
  sentAt?: number;
  lanes?: string[];
  partition?: number;
  partitions?: number[];
  draining?: boolean;
  build?: LaneBuild;
  sizes?: { size: number; runMs: number }[];
  running?: {
    batch: Batch | string;
    startedAt: number;
    endsAt: number;
    tasks?: string[];
    attempt?: number;
  };
  staged?: Batch[];
  imageBytes?: number;
  finished?: FinishedBatch[];
};
