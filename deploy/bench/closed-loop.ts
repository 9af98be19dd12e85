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

const giveUpMs = 30_000;

export type ClosedLoop = { kind: "closed"; target: Target; inFlight: number; forMs: number };
export type OneByOne = { kind: "lonely"; target: Target; warmUps: number; calls: number };

/** `ends`: how many calls ended with which status. */
export type Flood = { tookMs: number; ends: Record<string, number> };
export type Lonely = Reply & { tookMs: number };
