import type { Profile } from "../profile/profile.ts";
import type { PoolSettings, Prediction, PredictionPlan } from "../prediction/predict.ts";
import type { Target } from "../prediction/target.ts";
import type { PredictionThreads } from "../search/prediction-threads.ts";
import type { Scope, SearchResult } from "../search/search.ts";
import type { Trace } from "../trace/trace.ts";
import { defaultSettings } from "./default-settings.ts";
import { type NearestTarget, nearestTarget } from "./nearest-target.ts";

/**
 * Returns what else an operator should know of a search: what the default settings would give; or, where no
 * settings meet the target, what can be had.
 */
export async function advise({ winner, tried }: SearchResult, sources: AdviceSources): Promise<Advice> {
  const { threads, trace, profile, target, scopes } = sources;
  const defaultsScope = trace.calls > wholeCallsMax ? "windows" : "all requests";
  if (winner === undefined) {
    // To their end, also where they miss the target.
    const predictWhole = (settings: PoolSettings): Promise<Prediction> =>
      threads.predict(settings, { parts: scopes["all requests"] });
    const nearest = await nearestTarget(tried, { target, predictWhole });
    return { nearest, defaults: undefined, defaultsScope };
  }
  const settings = defaultSettings(winner.settings.workers, profile);
  const prediction = await threads.predict(settings, { parts: scopes[defaultsScope] });
  return { nearest: undefined, defaults: { settings, prediction }, defaultsScope };
}

/** The defaults are simulated on the busiest windows of longer traces: all of it would take minutes. */
const wholeCallsMax = 200_000;

type AdviceSources = {
  threads: PredictionThreads;
  trace: Trace;
  profile: Profile;
  target: Target;
  scopes: Record<Scope, PredictionPlan["parts"]>;
};

export type Advice = {
  /** Undefined where the target is met. */
  nearest: NearestTarget | undefined;
  /** Default settings with as many workers as the plan has. Undefined where the target is not met. */
  defaults: { settings: PoolSettings; prediction: Prediction } | undefined;
  /** Whether the results of the defaults are of all calls, or of the busiest windows of a long trace. */
  defaultsScope: Scope;
};
