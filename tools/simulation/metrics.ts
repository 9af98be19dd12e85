// Tested through the simulations, whose assertions read these numbers.
import { quantile } from "@faceline/contracts/testing/quantile";
import type { Answer, Call } from "./simulated-clients.ts";
import type { Simulation } from "./simulation.ts";

/** Returns the share of the calls since `from` that ended so. */
export function shareOf(kind: ResultKind, { calls }: Simulation, from: number): number {
  const results = [...calls.values()].filter(({ arrivedAt }) => arrivedAt >= from).map(callResult);
  return results.filter((result) => result.kind === kind).length / results.length;
}

/** Returns the 99th percentile in ms of these tenants' calls since `from` that were answered in time. */
export function goodP99({ calls }: Simulation, tenants: string[], from: number): number {
  const durations = [...calls.values()]
    .filter(({ tenant, arrivedAt }) => tenants.includes(tenant) && arrivedAt >= from)
    .map(callResult)
    .filter(({ kind }) => kind === "good")
    .map(({ durationMs }) => durationMs);
  return quantile(durations, 0.99);
}

/** Returns how a call ended and how long it took: with its first bad answer, or with the last of all. */
export function callResult({ answers, tasks, arrivedAt, deadlineAt }: Call): CallResult {
  let bad: Answer | undefined;
  let lastAt = 0;
  let answered = 0;
  for (let index = 0; index < answers.length; index++) {
    const answer = answers[index]!;
    if (index > 0 && answers.findIndex(({ task }) => task === answer.task) < index) continue;
    answered++;
    lastAt = Math.max(lastAt, answer.at);
    if (answer.kind !== "faces") bad ??= answer;
  }
  if (bad !== undefined) return { kind: bad.kind as ResultKind, durationMs: bad.at - arrivedAt };
  if (answered < tasks.length) return { kind: "unanswered", durationMs: Number.POSITIVE_INFINITY };
  return { kind: lastAt <= deadlineAt ? "good" : "late", durationMs: lastAt - arrivedAt };
}

/** Returns the share of these tenants' calls, from an instant on, that were answered in time. */
export function goodShare(simulation: Simulation, tenants: string[], from = 0): number {
  const calls = [...simulation.calls.values()].filter(
    (call) => tenants.includes(call.tenant) && call.arrivedAt >= from,
  );
  return calls.filter((call) => callResult(call).kind === "good").length / calls.length;
}

/** `good`: every task answered with faces, in time. */
type ResultKind = "good" | "late" | "shed" | "expired" | "failed" | "unanswered";
export type CallResult = { kind: ResultKind; durationMs: number };
