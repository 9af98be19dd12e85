import type { CallRecorder } from "./call-recorder.ts";

/** Parses a target such as `p99<300ms,shed<0.1%,late<0.01%`. Throws an Error that says what is accepted. */
export function parseTarget(text: string): Target {
  const target: Target = {};
  for (const part of text.split(",").map((each) => each.trim())) {
    const [, measure = "", number, unit = ""] =
      /^(p50|p99|shed|late)\s*<\s*([0-9]+(?:\.[0-9]+)?)\s*(ms|s|%)$/.exec(part) ?? [];
    const isShare = measure === "shed" || measure === "late";
    if (measure === "" || isShare !== (unit === "%")) throw new Error(wrongTarget(part));
    target[measure as Measure] = Number(number) * unitFactors[unit as keyof typeof unitFactors];
  }
  return target;
}

const unitFactors = { ms: 1, s: 1_000, "%": 0.01 };

const wrongTarget = (part: string) =>
  `"${part}" is not a target. Targets are p50 and p99 in ms or s, and shed and late in %, for example: ` +
  "p99<300ms,shed<0.1%,late<0.01%";

/**
 * Returns the limits that are missed, whatever the calls that are still to come do. `calls`: of the whole
 * trace. The measure of a limit is the number of calls that exceed it, which only grows: so a part of the
 * calls shows that the target is missed, if these calls end as they do among all, but not that it is met.
 * When all calls were recorded, none missed means that it is met.
 */
export function missedLimits(target: Target, recorder: CallRecorder, calls: number): Measure[] {
  const { answered, shed, late } = recorder.counts;
  // Of the calls that are still to come, all may be answered, and fast.
  const answeredAtMost = answered + calls - recorder.counts.calls;
  const slower = (measure: "p50" | "p99", share: number) => {
    const limitMs = target[measure];
    return limitMs !== undefined && recorder.slowerThan(limitMs) > share * answeredAtMost;
  };
  const above = (measure: "shed" | "late", count: number) => {
    const limit = target[measure];
    return limit !== undefined && count > limit * calls;
  };
  const isMissed: Record<Measure, boolean> = {
    p50: slower("p50", 0.5),
    p99: slower("p99", 0.01),
    shed: above("shed", shed),
    late: above("late", late),
  };
  return measures.filter((measure) => isMissed[measure]);
}

const measures = ["p50", "p99", "shed", "late"] as const;
export type Measure = (typeof measures)[number];

/** p50 and p99 in ms, shed and late as shares of all calls. What is absent has no limit. */
export type Target = Partial<Record<Measure, number>>;
