import type { StageTimes } from "../prediction/call-recorder.ts";
import type { Profile } from "../profile/profile.ts";

/**
 * Returns the profile with longer or shorter waits around the engine, so that a prediction of a load has the
 * mean stages that were measured of it. Single calls do not show how long threads and event loops wait for
 * each other when all are busy. `predict` returns the stages of that load for a profile. The correction goes
 * in steps, because longer runs also make larger batches.
 */
export function fitToLoad(
  profile: Profile,
  measured: Omit<StageTimes, "waitMs">,
  predict: (profile: Profile) => Omit<StageTimes, "waitMs">,
): Profile {
  let { service } = profile;
  for (let step = 0; step < steps; step++) {
    const predicted = predict({ ...profile, service });
    const more = (stage: keyof typeof predicted) => stepShare * (measured[stage] - predicted[stage]);
    const hops = service.intakeMs + service.toWorkerMs + service.replyMs;
    const stretch = Math.max(0, 1 + more("serviceMs") / Math.max(hopsMsMin, hops));
    service = {
      ...service,
      intakeMs: stretch * service.intakeMs,
      toWorkerMs: stretch * service.toWorkerMs,
      replyMs: stretch * service.replyMs,
      fetchMs: Math.max(0, service.fetchMs + more("prepareMs")),
      handoverMs: Math.max(0, service.handoverMs + more("runMs")),
    };
  }
  return { ...profile, service };
}

const steps = 8;
const stepShare = 0.6;
const hopsMsMin = 0.1;
