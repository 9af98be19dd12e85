import { bandFactorMin } from "../prediction/error-band.ts";
import type { PoolSettings } from "../prediction/predict.ts";
import type { Target } from "../prediction/target.ts";
import type { Tried } from "../search/search.ts";
import type { FoundPlan, Plan } from "./plan.ts";

// Sentences and numbers of a plan. text.test.ts covers them.

/** "0.12%" */
export const percent = (share: number): string => `${Number((100 * share).toPrecision(3))}%`;

/** "12,345" */
const countText = (count: number): string => count.toLocaleString("en-US");

/** "1 key", "1,200 keys" */
export const amountText = (count: number, noun: string): string =>
  `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;

/** "1 worker", "3 workers" */
export const workersText = (workers: number): string => amountText(workers, "worker");

/** Machines as that of the profile which a plan needs for its workers. */
export const machinesOf = ({ winner, machine }: FoundPlan): number =>
  Math.ceil(winner.settings.workers / machine.workersPerMachine);

/** ", on 2 machines of 2 workers"; empty if one machine is enough. */
export function machinesText(plan: FoundPlan): string {
  const machines = machinesOf(plan);
  return machines === 1 ? "" : `, on ${machines} machines of ${workersText(plan.machine.workersPerMachine)}`;
}

export const severalMachines = "One npm start runs one machine, so it cannot start this plan.";

/** "p99 < 300 ms, shed < 0.1%" */
export const targetText = (target: Target): string =>
  Object.entries(target)
    .map(([measure, limit]) => `${measure} < ${measure.startsWith("p") ? `${limit} ms` : percent(limit)}`)
    .join(", ");

/** "3 workers, BATCH_MAX 8 and UTILISATION_TARGET 0.85" */
function settingsText({ workers, batchMax, utilisationTarget }: PoolSettings): string {
  const utilisation = `UTILISATION_TARGET ${utilisationTarget}`;
  return `${workersText(workers)}, BATCH_MAX ${batchMax} and ${utilisation}`;
}

/** The share of calls that were answered before their deadline. */
export const inTimeShare = ({ shed, late, failed }: Tried["prediction"]): number =>
  Math.max(0, 1 - shed - late - failed);

/** Returns how far off the times of a plan may be, and why, in sentences. */
export function bandSentences({ band, target, winner }: Plan): string[] {
  const { p50, p99, compared } = band;
  const factors = `up to ${p50.toFixed(1)} times as long or as short at p50, and ${p99.toFixed(1)} times at p99`;
  const upperMs = winner === undefined ? 0 : winner.prediction.p99Ms * p99;
  const missed =
    target.p99 !== undefined && upperMs > target.p99
      ? [
          `At the upper end p99 would be ${upperMs.toFixed(0)} ms, more than the target: a plan for ` +
            `p99<${Math.floor(target.p99 / p99)}ms has that reserve.`,
        ]
      : [];
  if (compared === undefined) {
    return [`Error band: nothing was measured to compare with, so times may be ${factors}.`, ...missed];
  }
  const { settings, predicted, measured } = compared;
  return [
    `Error band: with the settings in force (${settingsText(settings)}) the recorded requests took ` +
      `${measured.p50Ms.toFixed(0)} ms at p50 and ${measured.p99Ms.toFixed(0)} at p99, and ` +
      `${predicted.p50Ms.toFixed(0)} and ${predicted.p99Ms.toFixed(0)} are predicted for them. So times may be ${factors}; ` +
      `${bandFactorMin} is the smallest factor that is assumed.`,
    ...missed,
  ];
}

/** "1 Jan 2026, 00:00 UTC", of an instant in ISO 8601. */
const dateText = (at: string): string =>
  new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }) + " UTC";

/** "112 (93-134)" */
export const bandText = (ms: number, factor: number): string =>
  `${ms.toFixed(0)} (${(ms / factor).toFixed(0)}-${(ms * factor).toFixed(0)})`;

/** Returns the limits that fewer workers would miss. */
export function bindingText(tried: readonly Tried[], { settings }: Tried): string {
  const fewer = tried.filter((each) => each.settings.workers === settings.workers - 1);
  if (fewer.length === 0)
    return settings.workers === 1
      ? "nothing: one worker is the minimum."
      : "fewer workers cannot do this work at all.";
  const missed = new Set(fewer.flatMap(({ prediction }) => prediction.missed));
  const workers = settings.workers === 2 ? "one worker" : `${settings.workers - 1} workers`;
  return `with ${workers} every choice misses ${[...missed].join(" or ")}.`;
}

/** Says where the size of batches does not matter; empty if it does. */
export function batchSizeSentence({ tried, winner }: FoundPlan): string[] {
  const { workers, utilisationTarget } = winner.settings;
  const alike = tried.filter(
    ({ settings }) => settings.workers === workers && settings.utilisationTarget === utilisationTarget,
  );
  const p99s = alike.map(({ prediction }) => prediction.p99Ms);
  const isAlike = Math.max(...p99s) <= sameP99Factor * Math.min(...p99s);
  const missed = new Set(alike.map(({ prediction }) => prediction.missed.join()));
  return alike.length > 1 && isAlike && missed.size === 1
    ? ["Batches do not matter for this traffic: p99 is the same with every BATCH_MAX."]
    : [];
}

const sameP99Factor = 1.01;

/** The nearest target that can be met, in a sentence; empty where the target is met. */
export function nearestSentence({ nearest }: Plan): string {
  if (nearest === undefined) return "";
  const { settings, target } = nearest;
  return (
    `${settingsText(settings)} hold ${targetText(target)}: the nearest target that can be had. ` +
    `--workers-max ${2 * settings.workers} tries more workers.`
  );
}

/** Whether a plan sets nothing but the number of workers. */
export const isDefault = (settings: PoolSettings, defaults: PoolSettings): boolean =>
  settings.batchMax === defaults.batchMax && settings.utilisationTarget === defaults.utilisationTarget;

/** What the default settings have to do with the plan, in a sentence. */
export function defaultsSentence({ defaults, winner }: FoundPlan): string {
  const { batchMax, utilisationTarget } = winner.settings;
  return defaults === undefined || isDefault(winner.settings, defaults.settings)
    ? `BATCH_MAX ${batchMax} and UTILISATION_TARGET ${utilisationTarget} are the defaults: a service that was ` +
        "started without either has them."
    : "Beside the default settings, with as many workers:";
}

/** The machine of the profile, in a sentence. */
export const machineSentence = ({ machine: { measuredAt, machine, workersPerMachine } }: Plan): string =>
  `${machine.cpu} with ${machine.cores} cores and ${workersText(workersPerMachine)}, measured on ${dateText(measuredAt)}.`;

/** How the answer was found, in a sentence. */
export function searchSentence({ tried }: Plan): string {
  const workers = tried.map(({ settings }) => settings.workers);
  const [fewest, most] = [Math.min(...workers), Math.max(...workers)];
  const range = fewest === most ? workersText(most) : `${fewest} to ${most} workers`;
  return `${tried.length} settings of ${range} were tried, with each calibrated batch size.`;
}
