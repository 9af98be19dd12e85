import { setTimeout as sleep } from "node:timers/promises";
import { poisson, type Traffic } from "./arrivals.ts";
import { HttpClient, type Reply, type Target } from "./http-client.ts";
import type { Seen } from "./outcomes.ts";

/**
 * Sends each call at its instant, whether or not those before it were answered, and counts its latency from the
 * instant at which it was to be sent: a server that stands still, or a generator that is late, cannot hide it. Calls of
 * the warm-up are sent alike and left out.
 */
export async function openLoop(plan: OpenLoop, warm: () => void): Promise<Seen[]> {
  const { warmUpMs, giveUpMs } = plan;
  using client = new HttpClient(plan.target, inFlightMax);
  const instants = poisson(plan.traffic);
  const calls: Seen[] = [];
  const pending = new Set<Promise<void>>();
  const startedAt = performance.now();
  let warming = true;

  const send = async (index: number, scheduledAt: number): Promise<void> => {
    const sentAfterMs = performance.now() - startedAt - scheduledAt;
    const reply: Reply =
      pending.size < inFlightMax
        ? await client.post(index, Math.max(1, giveUpMs - sentAfterMs))
        : { ended: "broken" };
    const tookMs = performance.now() - startedAt - scheduledAt;
    if (scheduledAt < warmUpMs) return;
    const { ended, batch } = reply;
    calls.push({ scheduledAt, tookMs, sentAfterMs, ended, ...(batch === undefined ? {} : { batch }) });
  };

  for (const [index, scheduledAt] of instants.entries()) {
    if (warming && scheduledAt >= warmUpMs) {
      warming = false;
      warm();
    }
    const aheadMs = scheduledAt - (performance.now() - startedAt);
    // Timers are whole milliseconds: what is due within the next one waits for it, and the wait is counted.
    if (aheadMs > 0) await sleep(Math.ceil(aheadMs));
    const sent: Promise<void> = send(index, scheduledAt).then(() => void pending.delete(sent));
    pending.add(sent);
  }
  await Promise.all(pending);
  return calls;
}

/** Calls that wait for an answer. A rate of 350 a second that gives up after 3 s reaches 1,050. */
const inFlightMax = 4_000;

export type OpenLoop = {
  kind: "open";
  target: Target;
  /** Of the warm-up and what is counted, together. */
  traffic: Traffic;
  warmUpMs: number;
  /** From the scheduled instant. */
  giveUpMs: number;
};
