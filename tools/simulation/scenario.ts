// Used by simulation.ts: what a simulation is made of.
import { decide } from "@faceline/batcher/scheduling/decide";
import {
  type Event,
  type Move,
  newState,
  type SchedulingSettings,
  type State,
} from "@faceline/batcher/scheduling/state/state";
import type { Batch, BatchTask } from "@faceline/contracts/wire/batch";
import { laneId } from "@faceline/contracts/wire/ids";
import type { CallTasks } from "@faceline/contracts/wire/task";
import type { Arrivals } from "./arrivals.ts";
import type { EventQueue } from "./event-queue.ts";
import type { Random } from "./random.ts";
import type { Call } from "./simulated-clients.ts";
import type { BatchTimes } from "./simulated-worker.ts";
import type { WorkerModel } from "./worker-model.ts";

/** Settings that a batcher starts with: the defaults of LANE_WAITING_MAX and UTILISATION_TARGET. */
export const startSettings = {
  laneWaitingMax: 2_048,
  utilisationTarget: 0.85,
  batchMax: Number.POSITIVE_INFINITY,
};

export const productionScheduler: NewScheduler = (scenario) => {
  const state = startState(scenario);
  return { decide: (event, now) => decide(state, event, now) };
};

/** Returns the state in which the scheduler of production begins. */
export function startState({ hops, settings }: Scenario): State {
  const guesses = { hopMs: hops.toWorkerMs, replyMs: hops.replyMs };
  return newState("batcher-0000000000000000", { ...startSettings, ...guesses, ...settings });
}

export const lane = laneId("Dlib", "ssd");
export const secondLane = laneId("Dlib", "blazeface");
/** Instants are positive. */
export const startAt = 1_000_000;

export type Scenario = {
  seed: number;
  /** Calls in the order of time. */
  arrivals: Arrivals;
  workers: WorkerModel[];
  hops: Hops & { jitter?: number };
  /**
   * Takes messages to their receivers in place of `hops`, which then are what the scheduler guesses first.
   */
  openPath?: (environment: { events: EventQueue; random: Random }) => CallPath;
  /** Rebalances in which this batcher loses the tasks partition, and gets it back after `forMs`. */
  partitionLosses?: { atMs: number; forMs: number }[];
  /** Those of production by default. */
  settings?: Partial<SchedulingSettings>;
  /**
   * Called when a call has an answer to each of its tasks. Then nothing is kept of it, nor of batches, so
   * that millions of calls fit in memory.
   */
  callEnded?: (call: Call) => void;
  /** Called at the end of every run with its number of tasks. */
  runEnded?: (tasks: number, times: BatchTimes) => void;
  /** A scheduler to compare with; that of production by default. */
  scheduler?: NewScheduler;
  /** Whether the preparation of these tasks never ends; none by default. */
  isPreparationEndless?: (tasks: BatchTask[]) => boolean;
  /** How a run of these tasks ends; `answered` by default. */
  runOf?: (tasks: BatchTask[]) => "answered" | "failed" | "killed";
  /** Called with every decision. */
  watch?: (event: Event, moves: Move[], now: number) => void;
};

/** Takes messages to their receivers in simulated time, and calls `done` when they are there. */
export type CallPath = {
  /** Takes a call from the client to the scheduler. */
  intake(call: CallTasks, done: () => void): void;
  toWorker(batch: Batch, done: () => void): void;
  /** Takes a report from a worker to the scheduler. */
  report(done: () => void): void;
  /** Takes answers from the end of a run to the client. */
  reply(batch: Batch, done: () => void): void;
};

export type Hops = { intakeMs: number; toWorkerMs: number; reportMs: number; replyMs: number };

export type NewScheduler = (scenario: Scenario) => Scheduler;

export type Scheduler = {
  decide(event: Event, now: number): Move[];
};
