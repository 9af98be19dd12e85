import type { Profile } from "@faceline/contracts/stored/profile";
import type { PoolSettings, Prediction, PredictionPlan } from "../prediction/predict.ts";
import type { Target } from "../prediction/target.ts";
import type { PredictionThreads } from "../search/prediction-threads.ts";
import type { Evaluate, Scope, SearchResult } from "../search/search.ts";
import type { Trace } from "../trace/trace.ts";
import { type DefaultsComparison, defaultSettings, fewestWithDefaults } from "./default-settings.ts";
import { type UnmetAdvice, unmetAdvice } from "./unmet-target.ts";
import { predictWhatIfs, type WhatIf } from "./what-ifs.ts";

/**
 * Returns what else an operator should know of a search: what the default settings would give, and what if
 * something changes; or, where no settings meet the target, what can be had.
 */
export async function advise({ winner, tried }: SearchResult, sources: AdviceSources): Promise<Advice> {
  const { threads, trace, profile, target, scopes, evaluate, workersMax } = sources;
  const whatIfScope = trace.calls > wholeCallsMax ? "windows" : "all requests";
  const parts = scopes[whatIfScope];
  const predictWhole = (settings: PoolSettings): Promise<Prediction> =>
    threads.predict(settings, { parts: scopes["all requests"] });
  if (winner === undefined) {
    const unmet = await unmetAdvice(tried, { target, evaluate, predictWhole });
    return { unmet, defaults: undefined, whatIfs: [], whatIfScope };
  }
  const { workers } = winner.settings;
  const defaults = defaultSettings(workers, profile);
  const [prediction, fewest, whatIfs] = await Promise.all([
    threads.predict(defaults, { parts }),
    fewestWithDefaults(profile, { workersMin: workers, workersMax, evaluate }),
    predictWhatIfs(winner.settings, { ...sources, parts }),
  ]);
  const sameWorkers = { settings: defaults, prediction };
  return { unmet: undefined, defaults: { sameWorkers, fewest, workersMax }, whatIfs, whatIfScope };
}

/** Longer traces have what-ifs of the busiest windows: six whole simulations would take minutes. */
const wholeCallsMax = 200_000;

type AdviceSources = {
  threads: PredictionThreads;
  trace: Trace;
  profile: Profile;
  target: Target;
  scopes: Record<Scope, PredictionPlan["parts"]>;
  evaluate: Evaluate;
  workersMax: number;
  tenantShare: number;
};

export type Advice = {
  /** Undefined where the target is met. */
  unmet: UnmetAdvice | undefined;
  /** Undefined where it is not. */
  defaults: DefaultsComparison | undefined;
  /** Empty where it is not. */
  whatIfs: readonly WhatIf[];
  /** Whether what-ifs are of all calls, or of the busiest windows of a long trace. */
  whatIfScope: Scope;
};
