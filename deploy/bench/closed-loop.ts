import { setTimeout as sleep } from "node:timers/promises";
import { HttpClient, type Reply, type Target } from "./http-client.ts";

/** Keeps so many calls in flight for so long: how much the server takes, not how soon it answers. */
export async function closedLoop(plan: ClosedLoop): Promise<Flood> {
  using client = new HttpClient(plan.target, plan.inFlight);
  const startedAt = performance.now();
  const ends: Record<string, number> = {};
  const caller = async (first: number): Promise<void> => {
    for (let index = first; performance.now() - startedAt < plan.forMs; index += plan.inFlight) {
      const { ended } = await client.post(index, giveUpMs);
      ends[ended] = (ends[ended] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: plan.inFlight }, (_, index) => caller(index)));
  return { tookMs: performance.now() - startedAt, ends };
}

/** One call at a time: what each of them met. */
export async function oneByOne(plan: OneByOne): Promise<Lonely[]> {
  using client = new HttpClient(plan.target, 1);
  const calls: Lonely[] = [];
  for (let index = 0; index < plan.warmUps + plan.calls; index++) {
    const begunAt = performance.now();
    const reply = await client.post(index, giveUpMs);
    if (index >= plan.warmUps) calls.push({ ...reply, tookMs: performance.now() - begunAt });
  }
  return calls;
}

/**
 * Keeps so many calls in flight, and tells what those met that ended between the warm-up and the end. What is still
 * in flight then is waited for, so that nobody's next case begins with it.
 */
export async function timedLoop(plan: TimedLoop, tell: (instant: "warm" | "over") => void): Promise<Timed> {
  using client = new HttpClient(plan.target, plan.inFlight);
  const calls: Lonely[] = [];
  const now: { phase: "warming" | "counted" | "over" } = { phase: "warming" };
  let next = 0;
  const caller = async (): Promise<void> => {
    while (now.phase !== "over") {
      const begunAt = performance.now();
      const reply = await client.post(next++, plan.giveUpMs);
      if (now.phase === "counted") calls.push({ ...reply, tookMs: performance.now() - begunAt });
    }
  };
  const callers = Array.from({ length: plan.inFlight }, caller);
  await sleep(plan.warmUpMs);
  const warmAt = performance.now();
  now.phase = "counted";
  tell("warm");
  await sleep(plan.countedMs);
  const tookMs = performance.now() - warmAt;
  now.phase = "over";
  tell("over");
  await Promise.all(callers);
  return { tookMs, calls };
}

const giveUpMs = 30_000;

export type ClosedLoop = { kind: "closed"; target: Target; inFlight: number; forMs: number };
export type OneByOne = { kind: "lonely"; target: Target; warmUps: number; calls: number };
export type TimedLoop = {
  kind: "timed";
  target: Target;
  inFlight: number;
  warmUpMs: number;
  countedMs: number;
  /** After which a call counts as not answered. */
  giveUpMs: number;
};

/** `tookMs`: the counted time. */
export type Timed = { tookMs: number; calls: Lonely[] };

/** `ends`: how many calls ended with which status. */
export type Flood = { tookMs: number; ends: Record<string, number> };
export type Lonely = Reply & { tookMs: number };
