import { readFileSync } from "node:fs";
import type { AdjustablePoolSettings, PoolSettings } from "@faceline/runtime/operators/pool-settings";
import * as z from "zod";
import type { PoolSettings as PlannedSettings } from "../prediction/predict.ts";
import { workersText } from "../report/words.ts";

/** The part of a plan file that is applied. */
const PlanFile = z.object({
  format: z.literal("faceline-plan"),
  version: z.literal(1),
  winner: z
    .object({
      settings: z.object({
        workers: z.number().int().min(1),
        batchMax: z.number().int().min(1),
        utilisationTarget: z.number(),
      }),
    })
    .optional(),
  machine: z.object({
    lanes: z.array(
      z.object({ lane: z.string(), digest: z.string(), runs: z.array(z.object({ size: z.number() })) }),
    ),
  }),
});
type PlanFile = z.infer<typeof PlanFile>;

/** Reads a plan. Throws an Error with a sentence, also for one that found no settings. */
export function readPlan(file: string): ReadPlan {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") {
      throw new Error(`There is no plan ${file}. npm run plan writes one.`, { cause });
    }
    throw new Error(`The plan ${file} cannot be read. npm run plan writes one.`, {
      cause,
    });
  }
  const { success, data } = PlanFile.safeParse(content);
  if (!success) throw new Error(`${file} is not a plan of this version.`);
  const { winner, machine } = data;
  if (winner === undefined) {
    throw new Error(`${file} found no settings that meet its target, so there is nothing to apply.`);
  }
  return { settings: winner.settings, machine };
}

/**
 * Returns why a plan must not be applied to these batchers, in sentences; empty where it may. The plan holds
 * for the batch sizes and the builds that its profile was measured with, and batchers take no larger batches
 * than their workers have loaded.
 */
export function planFaults(
  { settings, machine }: ReadPlan,
  batchers: readonly PoolSettings[],
  { acceptsOtherBuild, acceptsFewerWorkers }: { acceptsOtherBuild: boolean; acceptsFewerWorkers: boolean },
): string[] {
  const faults: string[] = [];
  const { batchMax } = settings;
  for (const { lane, digest, runs } of machine.lanes) {
    if (!runs.some(({ size }) => size === batchMax)) {
      faults.push(`Batches of ${batchMax} were not calibrated for ${lane}.`);
    }
    const digests = new Set(
      batchers.flatMap(({ lanes }) => lanes.filter((each) => each.lane === lane).map((each) => each.digest)),
    );
    if (digests.size > 0 && !digests.has(digest) && !acceptsOtherBuild) {
      faults.push(
        `Workers run another build of ${lane} (${[...digests].join(", ")}) than the profile (${digest}): ` +
          "calibrate again, or continue with --accept-other-build.",
      );
    }
  }
  const missing = missingWorkers(settings, batchers);
  if (missing !== undefined && !acceptsFewerWorkers) {
    faults.push(`${missing} Start more workers first, or continue with --fewer-workers.`);
  }
  const loadedMax = Math.max(0, ...batchers.map(loadedMaxOf));
  if (loadedMax > 0 && batchMax > loadedMax) {
    faults.push(
      `Workers have loaded batches of at most ${loadedMax}: start them with BATCH_MAX=${batchMax} first.`,
    );
  }
  return faults;
}

/** Says, in a sentence, that a pool has fewer workers than a plan needs; undefined where it has enough. */
export function missingWorkers(
  { workers }: PlannedSettings,
  batchers: readonly PoolSettings[],
): string | undefined {
  // A batcher of 0.1.0 does not say how many it has.
  const there = Math.max(...batchers.map((each) => each.workers ?? workers));
  if (there >= workers) return undefined;
  return `This pool has ${workersText(there)}, the plan needs ${workers}: its target will not be met.`;
}

export const loadedMaxOf = ({ lanes }: PoolSettings): number =>
  Math.max(0, ...lanes.flatMap(({ sizes }) => sizes));

/** Returns the settings of a batcher with what the plan changes of them. */
export const plannedChange = (
  before: AdjustablePoolSettings,
  { settings: { batchMax, utilisationTarget } }: ReadPlan,
): AdjustablePoolSettings => ({ ...before, batchMax, utilisationTarget });

export const isSameSettings = (one: AdjustablePoolSettings, other: AdjustablePoolSettings): boolean =>
  changeText(one, other, 0) === unchangedText;

const unchangedText = "nothing changes";

/** "batch max as loaded (8) → 4, UTILISATION_TARGET 0.85 → 0.7". `loadedMax`: 0 before any report. */
export function changeText(
  from: AdjustablePoolSettings,
  to: AdjustablePoolSettings,
  loadedMax: number,
): string {
  const loaded = loadedMax === 0 ? "as loaded" : `as loaded (${loadedMax})`;
  const parts = [
    ["batch max", from.batchMax ?? loaded, to.batchMax ?? loaded],
    ["UTILISATION_TARGET", from.utilisationTarget, to.utilisationTarget],
    ["LANE_WAITING_MAX", from.laneWaitingMax, to.laneWaitingMax],
  ]
    .filter(([, before, after]) => before !== after)
    .map(([name, before, after]) => `${name} ${before} → ${after}`);
  return parts.length === 0 ? unchangedText : parts.join(", ");
}

type ReadPlan = { settings: PlannedSettings; machine: PlanFile["machine"] };
