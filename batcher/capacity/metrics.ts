import type { Answer, Call, Simulation } from "./simulation.ts";

/** What a simulation came to. Shares are of all calls that were made. */
export function metricsOf(
  { calls, batches }: Simulation,
  from = 0,
  until = Number.POSITIVE_INFINITY,
): Metrics {
  const counted = [...calls.values()].filter((call) => call.arrivedAt >= from && call.arrivedAt < until);
  const lives = counted.map(callResult);
  const share = (fate: ResultKind) =>
    lives.filter((life) => life.result === fate).length / Math.max(1, lives.length);
  const lengths = (...fates: ResultKind[]) =>
    lives
      .filter((life) => fates.includes(life.result))
      .map((life) => life.durationMs)
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

export function callResult(call: Call): CallResult {
  const firsts = new Map<string, Answer>();
  for (const answer of call.answers) if (!firsts.has(answer.task)) firsts.set(answer.task, answer);
  const answers = [...firsts.values()];
  const bad = answers.find((answer) => answer.kind !== "faces");
  const at = bad?.at ?? Math.max(...answers.map((answer) => answer.at));
  const durationMs = at - call.arrivedAt;
  if (bad !== undefined) return { result: bad.kind as ResultKind, durationMs };
  if (firsts.size < call.tasks.length) return { result: "unanswered", durationMs: Number.POSITIVE_INFINITY };
  return { result: at <= call.deadlineAt ? "good" : "late", durationMs };
}

export function goodShare(simulation: Simulation, tenants: string[], from = 0): number {
  const counted = (call: Call) => tenants.includes(call.tenant) && call.arrivedAt >= from;
  const calls = [...simulation.calls.values()].filter(counted);
  return calls.filter((call) => callResult(call).result === "good").length / calls.length;
}

const quantiles = (sorted: number[]): Quantiles => ({
  p50: sorted[Math.floor(0.5 * sorted.length)] ?? 0,
  p99: sorted[Math.floor(0.99 * sorted.length)] ?? 0,
});

/** `good`: every task answered with faces, in time. */
export type ResultKind = "good" | "late" | "shed" | "expired" | "failed" | "unanswered";
type CallResult = { result: ResultKind; durationMs: number };
type Quantiles = { p50: number; p99: number };

export type Metrics = Record<ResultKind, number> & {
  calls: number;
  answeredMs: Quantiles;
  refusedMs: Quantiles;
  meanBatch: number;
};
