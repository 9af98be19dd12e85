import type { Answer, Call, Simulation } from "./simulation.ts";

/** What a simulation came to. Shares are of all calls that were made. */
export function figuresOf(
  { calls, batches }: Simulation,
  from = 0,
  until = Number.POSITIVE_INFINITY,
): Figures {
  const counted = [...calls.values()].filter((call) => call.arrivedAt >= from && call.arrivedAt < until);
  const lives = counted.map(lifeOf);
  const share = (fate: Fate) => lives.filter((life) => life.fate === fate).length / Math.max(1, lives.length);
  const lengths = (...fates: Fate[]) =>
    lives
      .filter((life) => fates.includes(life.fate))
      .map((life) => life.ms)
      .toSorted((a, b) => a - b);
  const sizes = batches.map((batch) => batch.tasks.length);
  return {
    calls: lives.length,
    good: share("good"),
    late: share("late"),
    shed: share("shed"),
    expired: share("expired"),
    failed: share("failed"),
    unanswered: share("unanswered"),
    answeredMs: quantiles(lengths("good", "late")),
    refusedMs: quantiles(lengths("shed")),
    meanBatch: sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length),
  };
}

export function lifeOf(call: Call): Life {
  const firsts = new Map<string, Answer>();
  for (const answer of call.answers) if (!firsts.has(answer.task)) firsts.set(answer.task, answer);
  const answers = [...firsts.values()];
  const bad = answers.find((answer) => answer.kind !== "faces");
  const at = bad?.at ?? Math.max(...answers.map((answer) => answer.at));
  const ms = at - call.arrivedAt;
  if (bad !== undefined) return { fate: bad.kind as Fate, ms };
  if (firsts.size < call.tasks.length) return { fate: "unanswered", ms: Number.POSITIVE_INFINITY };
  return { fate: at <= call.deadlineAt ? "good" : "late", ms };
}

export function goodOf(simulation: Simulation, tenants: string[], from = 0): number {
  const counted = (call: Call) => tenants.includes(call.tenant) && call.arrivedAt >= from;
  const calls = [...simulation.calls.values()].filter(counted);
  return calls.filter((call) => lifeOf(call).fate === "good").length / calls.length;
}

const quantiles = (sorted: number[]): Quantiles => ({
  p50: sorted[Math.floor(0.5 * sorted.length)] ?? 0,
  p99: sorted[Math.floor(0.99 * sorted.length)] ?? 0,
});

/** `good`: every task answered with faces, in time. */
export type Fate = "good" | "late" | "shed" | "expired" | "failed" | "unanswered";
type Life = { fate: Fate; ms: number };
type Quantiles = { p50: number; p99: number };

export type Figures = Record<Fate, number> & {
  calls: number;
  answeredMs: Quantiles;
  refusedMs: Quantiles;
  meanBatch: number;
};
