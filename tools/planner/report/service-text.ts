import type { Profile } from "@faceline/contracts/stored/profile";
import { runsOnCores } from "../profile/lane-times.ts";
import { valueAt } from "../profile/quantiles.ts";

/**
 * Returns what a calibration of a service found, as lines for a terminal. `fetchMs`: what fetching took of
 * single calls.
 */
export function serviceText(profile: Profile, fetchMs: number): string[] {
  const { service } = profile;
  const { intakeMs, toWorkerMs, replyMs, cpu } = service;
  const isOnCores = runsOnCores(profile);
  const [intake, toWorker, reply, fetch] = [intakeMs, toWorkerMs, replyMs, fetchMs].map((ms) =>
    ms.toFixed(1),
  );
  const at = (share: number) => ({
    hops: valueAt(service.factors, share).toFixed(2),
    fetch: (service.fetchMs + valueAt(service.fetchMoreMs, share)).toFixed(1),
    run: isOnCores
      ? `${valueAt(service.runWaitShares, share).toFixed(2)} times its CPU time`
      : `${(service.handoverMs + valueAt(service.handoverMoreMs, share)).toFixed(1)} ms`,
  });
  const [median, rare] = [at(0.5), at(0.99)];
  return [
    `On an idle service: intake ${intake} ms, to the worker ${toWorker}, reply ${reply}, fetching ${fetch}.`,
    "At three quarters of the most that it answers, in the median and at p99: hops take x " +
      `${median.hops} and ${rare.hops}, fetching ${median.fetch} and ${rare.fetch} ms, and a run waits ` +
      `${median.run} and ${rare.run} beyond its share of the cores.`,
    `CPU time around the engine: ${cpu.callMs.toFixed(2)} ms for a call, ${cpu.pictureMs.toFixed(2)} for a ` +
      `picture, ${cpu.megabyteMs.toFixed(1)} for a megabyte.`,
    ...(isOnCores ? [runsText(service.runFactors)] : []),
  ];
}

function runsText(runFactors: Profile["service"]["runFactors"]): string {
  const factors = Object.entries(runFactors).map(([lane, factor]) => `${factor.toFixed(2)} for ${lane}`);
  return factors.length === 0
    ? "The workers do not say the CPU time of runs, so a slow moment of the machine counts as waits: they are " +
        "of an older version."
    : `CPU time of runs, in times that of the calibrated engine: ${factors.join(", ")}.`;
}
