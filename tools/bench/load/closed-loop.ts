import { HttpClient, type Response, type Target } from "./http-client.ts";

/**
 * Keeps `inFlight` calls in flight: each caller sends its next call when the one before has ended. Counts the
 * calls that end between the warm-up and the end. Those in flight at the end are waited for and not counted,
 * so that the next measurement does not begin with them.
 */
export async function closedLoop(plan: ClosedLoop, hooks: ClosedLoopHooks = {}): Promise<ClosedLoopResult> {
  using client = new HttpClient(plan.target, plan.inFlight);
  const calls: ClosedLoopCall[] = [];
  const state: State = { phase: "warm-up", ended: 0, sent: 0, warmAt: 0, tookMs: 0 };

  const enter = (phase: "warm-up" | "counted", extent: Extent): void => {
    state.phase = phase;
    state.ended = 0;
    if ("forMs" in extent) setTimeout(leave, extent.forMs);
    else if (extent.calls === 0) leave();
  };
  const leave = (): void => {
    if (state.phase === "warm-up") {
      state.warmAt = performance.now();
      hooks.warm?.();
      enter("counted", plan.counted);
    } else {
      state.tookMs = performance.now() - state.warmAt;
      state.phase = "over";
      hooks.over?.();
    }
  };
  const caller = async (): Promise<void> => {
    while (state.phase !== "over") {
      const index = state.sent++;
      const begunAt = performance.now();
      const response = await client.post(index, plan.giveUpMs);
      if (isOver(state)) return;
      if (state.phase === "counted") calls.push({ ...response, tookMs: performance.now() - begunAt });
      const extent = state.phase === "warm-up" ? plan.warmUp : plan.counted;
      if ("calls" in extent && ++state.ended === extent.calls) leave();
    }
  };
  enter("warm-up", plan.warmUp);
  await Promise.all(Array.from({ length: plan.inFlight }, caller));
  return { tookMs: state.tookMs, calls };
}

/** A call that is waited for may end after the phase has changed; the type checker cannot see that. */
const isOver = (state: State): boolean => state.phase === "over";

/** Returns how many calls ended in which way: `{ "200": 97, "503 queue_full": 2, "gave up": 1 }`. */
export function countByStatus(
  calls: readonly Readonly<Pick<Response, "status" | "error">>[],
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, error } of calls) {
    const end = error === undefined ? `${status}` : `${status} ${error}`;
    counts[end] = (counts[end] ?? 0) + 1;
  }
  return counts;
}

/** Throws if a call was not answered with 200. `path` stands in the error. */
export function assertAnswered(calls: readonly { status: Response["status"] }[], path: string): void {
  const failed = calls.find(({ status }) => status !== 200);
  if (failed !== undefined) throw new Error(`a request of ${path} ended with ${failed.status}`);
}

/** Returns calls a second that were answered with 200. */
export function answeredPerSecond({ calls, tookMs }: ClosedLoopResult): number {
  return (calls.filter(({ status }) => status === 200).length * 1_000) / tookMs;
}

type State = {
  phase: "warm-up" | "counted" | "over";
  /** Calls that ended in this phase. */
  ended: number;
  sent: number;
  warmAt: number;
  tookMs: number;
};

/** How long a phase lasts. */
type Extent = { calls: number } | { forMs: number };

export type ClosedLoop = {
  target: Target;
  inFlight: number;
  warmUp: Extent;
  counted: Extent;
  /** A call without an answer after this counts as given up. */
  giveUpMs: number;
};

/** `warm`: the warm-up ends. `over`: calls that end later are not counted. */
type ClosedLoopHooks = { warm?(): void; over?(): void };

/** `tookMs`: from sending a call to the last byte of its answer; of a result, the counted time. */
export type ClosedLoopCall = Response & { tookMs: number };
export type ClosedLoopResult = { tookMs: number; calls: ClosedLoopCall[] };
