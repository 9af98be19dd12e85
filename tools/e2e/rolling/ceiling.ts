import {
  answeredPerSecond,
  assertAnswered,
  type ClosedLoop,
  closedLoop,
} from "@faceline/bench/load/closed-loop";
import type { Steps } from "@faceline/deploy/launcher/steps";

/** Returns the most /verify calls a second that a stack answers. Throws if it refuses one. */
export function measureCeiling(
  steps: Steps,
  { target, inFlight, countedMs }: Pick<ClosedLoop, "target" | "inFlight"> & { countedMs: number },
): Promise<number> {
  return steps.run("ceiling", async (note) => {
    const loop = {
      target,
      inFlight,
      warmUp: { forMs: 10_000 },
      counted: { forMs: countedMs },
      giveUpMs: 60_000,
    };
    const result = await closedLoop(loop);
    assertAnswered(result.calls, "/verify");
    const perSecond = answeredPerSecond(result);
    note(`${perSecond.toFixed(1)} calls a second`);
    return perSecond;
  });
}
