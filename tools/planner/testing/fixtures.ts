import type { Profile } from "../profile/profile.ts";
import { LaneId } from "@faceline/contracts/wire/ids";
import type { PoolSettings, Prediction } from "../prediction/predict.ts";
import { machineSummary, type Plan } from "../report/plan.ts";
import type { Tried } from "../search/search.ts";
import { type DrawnTraffic, drawTraffic } from "../trace/drawn-traffic.ts";
import { Trace } from "../trace/trace.ts";

const lane = LaneId.parse("Dlib/ssd");

/** A machine that takes 20 + 2b ms for a batch of b, give or take 10%. */
export function newProfile(changes: Partial<Profile> = {}): Profile {
  return {
    format: "faceline-profile",
    version: 6,
    measuredAt: "2026-01-01T00:00:00Z",
    machine: { cpu: "modelled", cores: 16, memoryMiB: 1_024 },
    lanes: [
      {
        lane,
        digest: "0".repeat(16),
        precision: "float32",
        executionProvider: "model",
        runs: [1, 2, 4, 8].map((size) => ({
          size,
          ms: [0.9, 1, 1.1].map((factor) => factor * (20 + 2 * size)),
        })),
        contention: [1],
        cpuShare: 1,
      },
    ],
    preparation: {
      imageMs: 1.5,
      megapixelMs: 0,
      megabyteMs: 0,
      factors: [0.8, 1, 1.2],
      measuredSizes: { bytes: [8_000, 2_000_000], pixels: [60_000, 4_000_000] },
    },
    ...changes,
  };
}

/** The same calls, each of which takes so long in ingress and hops. */
export const withServiceMs = ({ columns }: Trace, ...serviceMs: number[]): Trace =>
  new Trace({ ...columns, measured: { p50Ms: 0, p99Ms: 0, serviceMs } });

export const newTrace = (changes: Partial<DrawnTraffic> = {}): Trace =>
  drawTraffic({
    shape: "poisson",
    seed: 1,
    perSecond: 50,
    seconds: 20,
    tenants: 3,
    lanes: [lane],
    images: 2,
    imageSize: { bytes: 40_000, pixels: 327_680 },
    deadlineMs: 2_000,
    factor: 5,
    ...changes,
  });

export const newPrediction = (changes: Partial<Prediction> = {}): Prediction => ({
  calls: 100,
  p50Ms: 1,
  p99Ms: 2,
  shed: 0,
  late: 0,
  failed: 0,
  meanBatch: 1,
  utilisation: 0.5,
  workerSecondsPer1000: 10,
  stages: { serviceMs: 0, waitMs: 0, prepareMs: 0, runMs: 0 },
  missed: [],
  ...changes,
});

/** /live.json of the active batcher of a pool that has loaded one lane: of it what a plan needs. */
export const batcherState = ({ sizes, workers, utilisationTarget }: BatcherFacts) => ({
  facts: { role: "active", utilisationTarget, workersInService: workers },
  tables: { lanes: [{ lane, build: "0".repeat(16), loadedSizes: sizes }] },
});

type BatcherFacts = { sizes: number[]; workers: number; utilisationTarget: number };

export const newTried = (settings: Partial<PoolSettings>, prediction: Partial<Prediction> = {}): Tried => ({
  settings: { workers: 3, batchMax: 8, utilisationTarget: 0.85, ...settings },
  prediction: newPrediction(prediction),
});

/** A plan of 3 workers with batches of up to 8. */
export function newPlan(changes: Partial<Plan> = {}): Plan {
  const winner = newTried({}, { p99Ms: 200 });
  const faster = newTried({ workers: 4 }, { p99Ms: 150, workerSecondsPer1000: 13 });
  const { settings } = newTried({ batchMax: 4 });
  return {
    format: "faceline-plan",
    version: 1,
    madeAt: "2026-01-02T00:00:00Z",
    target: { p99: 300, shed: 0.001 },
    source: "drawn: bursts, seed 1",
    traffic: {
      calls: 1_000,
      images: 2_000,
      tenants: 5,
      lanes: [lane],
      seconds: 20,
      perSecond: 50,
      busiestPerSecond: 90,
    },
    load: 1.5,
    machine: { ...machineSummary(newProfile()), workersPerMachine: 8 },
    band: { p50: 1.2, p99: 1.5, compared: undefined },
    winner,
    tried: [newTried({ workers: 2 }, { missed: ["p99"] }), winner, faster],
    nearest: undefined,
    defaults: { settings, prediction: newPrediction({ p99Ms: 2_000, shed: 0.2 }) },
    ...changes,
  };
}
