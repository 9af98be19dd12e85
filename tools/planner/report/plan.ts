import type { Profile } from "../profile/profile.ts";
import type { NearestTarget } from "../advice/nearest-target.ts";
import type { ErrorBand } from "../prediction/error-band.ts";
import type { Target } from "../prediction/target.ts";
import { meanOf } from "../profile/lane-times.ts";
import type { Tried } from "../search/search.ts";
import type { TrafficSummary } from "../trace/traffic-summary.ts";

/** A plan, from which the text and the JSON file are made. */
export type Plan = {
  format: "faceline-plan";
  version: 1;
  madeAt: string;
  target: Target;
  /** Source of the traffic: a file, or how it was drawn. */
  source: string;
  traffic: TrafficSummary;
  /** How many workers the traffic would keep busy in full batches. */
  load: number;
  machine: MachineSummary;
  band: ErrorBand;
  /** Undefined: no settings that were searched meet the target. */
  winner: Tried | undefined;
  tried: readonly Tried[];
  /** Undefined where the target is met. */
  nearest: NearestTarget | undefined;
  /** Default settings with as many workers as the plan has. Undefined where the target is not met. */
  defaults: Tried | undefined;
};

type MachineSummary = Pick<Profile, "measuredAt" | "machine"> & {
  workersPerMachine: number;
  lanes: readonly {
    lane: string;
    digest: string;
    precision: string;
    executionProvider: string;
    /** Mean run time of each batch size. */
    runs: { size: number; ms: number }[];
  }[];
};

export const machineSummary = (profile: Profile): MachineSummary => ({
  measuredAt: profile.measuredAt,
  machine: profile.machine,
  workersPerMachine: Math.max(...profile.lanes.map(({ contention }) => contention.length)),
  lanes: profile.lanes.map(({ lane, digest, precision, executionProvider, runs }) => ({
    lane,
    digest,
    precision,
    executionProvider,
    runs: runs.map(({ size, ms }) => ({ size, ms: meanOf(ms) })),
  })),
});

export type FoundPlan = Plan & { winner: Tried };
export const isFound = (plan: Plan): plan is FoundPlan => plan.winner !== undefined;
