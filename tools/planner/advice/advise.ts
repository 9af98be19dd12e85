import type { Profile } from "@faceline/contracts/stored/profile";
import type { PoolSettings, Prediction, PredictionPlan } from "../prediction/predict.ts";
import type { Target } from "../prediction/target.ts";
import type { PredictionThreads } from "../search/prediction-threads.ts";
import type { Evaluate, Scope, SearchResult } from "../search/search.ts";
import type { Trace } from "../trace/trace.ts";
import { type DefaultsComparison, defaultSettings, fewestWithDefaults } from "./default-settings.ts";
import { type UnmetAdvice, unmetAdvice } from "./unmet-target.ts";

/**
 * Returns what else an operator should know of a search: what the default settings would give; or, where no
 * settings meet the target, what can be had.
 */
export async function advise({ winner, tried }: SearchResult, sources: AdviceSources): Promise<Advice> {
  const { threads, trace, profile, target, scopes, evaluate, workersMax } = sources;
  const defaultsScope = trace.calls > wholeCallsMax ? "windows" : "all requests";
  const predictWhole = (settings: PoolSettings): Promise<Prediction> =>
    threads.predict(settings, { parts: scopes["all requests"] });
  if (winner === undefined) {
    const unmet = await unmetAdvice(tried, { target, evaluate, predictWhole });
    return { unmet, defaults: undefined, defaultsScope };
  }
  const { workers } = winner.settings;
  const defaults = defaultSettings(workers, profile);
  const [prediction, fewest] = await Promise.all([
    threads.predict(defaults, { parts: scopes[defaultsScope] }),
    fewestWithDefaults(profile, { workersMin: workers, workersMax, evaluate }),
  ]);
  const sameWorkers = { settings: defaults, prediction };
  return { unmet: undefined, defaults: { sameWorkers, fewest, workersMax }, defaultsScope };
}

/** The defaults are simulated on the busiest windows of longer traces: all of it would take minutes. */
const wholeCallsMax = 200_000;

type AdviceSources = {
  threads: PredictionThreads;
  trace: Trace;
  profile: Profile;
  target: Target;
  scopes: Record<Scope, PredictionPlan["parts"]>;
  evaluate: Evaluate;
  workersMax: number;
};

export type Advice = {
  /** Undefined if the target is met. */
  unmet: UnmetAdvice | undefined;
  /** Undefined if it is not. */
  defaults: DefaultsComparison | undefined;
  /** Whether the results of the defaults are of all calls, or of the busiest windows of a long trace. */
  defaultsScope: Scope;
};
