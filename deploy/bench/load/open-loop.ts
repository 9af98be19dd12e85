import { setTimeout as sleep } from "node:timers/promises";
import { poisson, type Traffic } from "./arrivals.ts";
import { HttpClient, type Reply, type Target } from "./http-client.ts";
import type { OpenLoopCall } from "./outcomes.ts";

/**
 * Sends each call when it is due, whether or not the calls before it were answered, and counts its latency
 * from that instant: neither a server that stalls nor a generator that is late can hide it (no coordinated
 * omission). Calls of the warm-up are sent alike and left out of the result.
 */
export async function openLoop(plan: OpenLoop, onWarm: () => void): Promise<OpenLoopCall[]> {
  const { warmUpMs, giveUpMs } = plan;
  using client = new HttpClient(plan.target, inFlightMax);
  const calls: OpenLoopCall[] = [];
  const pending = new Set<Promise<void>>();
  const startedAt = performance.now();
  let warming = true;

  const send = async (index: number, dueMs: number): Promise<void> => {
    const sentAfterMs = performance.now() - startedAt - dueMs;
    const { status, batch }: Reply =
      pending.size < inFlightMax
        ? await client.post(index, Math.max(1, giveUpMs - sentAfterMs))
        : { status: "broken" };
    const tookMs = performance.now() - startedAt - dueMs;
    if (dueMs < warmUpMs) return;
    calls.push({ dueMs, tookMs, sentAfterMs, status, ...(batch === undefined ? {} : { batch }) });
  };

  for (const [index, dueMs] of poisson(plan.traffic).entries()) {
    if (warming && dueMs >= warmUpMs) {
      warming = false;
      onWarm();
    }
    const aheadMs = dueMs - (performance.now() - startedAt);
    // Timers are whole milliseconds: a call that is due within the next one waits for it, and the wait is
    // counted.
    if (aheadMs > 0) await sleep(Math.ceil(aheadMs));
    const sent: Promise<void> = send(index, dueMs).then(() => void pending.delete(sent));
    pending.add(sent);
  }
  await Promise.all(pending);
  return calls;
}

/** Calls that wait for an answer. A rate of 350 a second with a give-up time of 3 s reaches 1,050. */
const inFlightMax = 4_000;

export type OpenLoop = {
  target: Target;
  /** The warm-up and the counted time together. */
  traffic: Traffic;
  warmUpMs: number;
  /** Counts from when the call was due. */
  giveUpMs: number;
};
