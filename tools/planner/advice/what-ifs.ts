import type { Profile } from "@faceline/contracts/stored/profile";
import type { PoolSettings, Prediction, PredictionPlan } from "../prediction/predict.ts";
import { PredictionThreads } from "../search/prediction-threads.ts";
import { withTenantShare } from "../trace/tenant-share.ts";
import type { Trace } from "../trace/trace.ts";

/**
 * Predicts what the chosen settings give if something else changes: twice the traffic, a lost worker, one
 * tenant that makes a large share of the calls. Each is simulated to its end.
 */
export async function predictWhatIfs(settings: PoolSettings, sources: WhatIfSources): Promise<WhatIf[]> {
  const { threads, trace, profile, parts, tenantShare } = sources;
  const lost = { ...settings, workers: settings.workers - 1 };
  const same = [
    { name: "as it is", settings },
    { name: "traffic x 2", settings, rateFactor: 2 },
    ...(lost.workers > 0 ? [{ name: "a worker lost", settings: lost }] : []),
  ].map(async ({ name, settings: each, rateFactor = 1 }) => ({
    name,
    settings: each,
    prediction: await threads.predict(each, { parts, rateFactor }),
  }));
  const whatIfs: WhatIf[] = await Promise.all(same);
  const mixed = withTenantShare(trace, tenantShare);
  const inPercent = `${Number((100 * tenantShare).toPrecision(3))} %`;
  // A thread of its own: the others have the trace of the search.
  await using alone = new PredictionThreads(mixed, profile, 1);
  const prediction = await alone.predict(settings, { parts });
  whatIfs.push({ name: `one tenant sends ${inPercent}`, settings, prediction });
  return whatIfs;
}

export type WhatIf = { name: string; settings: PoolSettings; prediction: Prediction };

type WhatIfSources = {
  threads: Pick<PredictionThreads, "predict">;
  trace: Trace;
  profile: Profile;
  parts: PredictionPlan["parts"];
  /** Share of the calls, from 0 to 1, that the one tenant sends. */
  tenantShare: number;
};
