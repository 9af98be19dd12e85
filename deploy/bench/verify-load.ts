// Used by the parts telemetry-sampling and recording, whose tables show what it measures.
import { assertAnswered } from "./load/closed-loop.ts";
import { measureLoop, openGenerator } from "./load/generator.ts";
import type { SliceTimes } from "./modes-in-turn.ts";
import type { Stack } from "./part.ts";
import { tinyJpeg } from "./pictures.ts";
import { sum } from "./statistics.ts";

/** Above the tables of these parts. */
export const verifyLoadTitle =
  "/verify of two images, 64 in flight, a run takes 40 + 2b ms; CPU ms of ingress, batcher and worker for each call, in the same processes:";

/** The part of a plan that says how the stack is started and loaded. */
export const verifyLoadPlan = (quick: boolean) => ({
  settings: { ENGINE: "model:40+2b", BATCH_MAX: "32" },
  starts: 1,
  rounds: quick ? 3 : 34,
  inFlight: 64,
  warmUpMs: quick ? 2_000 : 8_000,
});

/** Opens the load generator for calls of /verify with two images. */
export async function openVerifyLoad(stop: AbortSignal): Promise<VerifyLoad> {
  const generator = await openGenerator(stop);
  const img = (await tinyJpeg()).toString("base64");
  return {
    async measure(stack, { inFlight, settleMs, countedMs, headersInTurn = [] }) {
      const plan = {
        target: { ...stack.target("/verify", [{ img1: img, img2: img }]), headersInTurn },
        inFlight,
        warmUp: { forMs: settleMs },
        counted: { forMs: countedMs },
        giveUpMs: 30_000,
      };
      const { calls, cpu } = await measureLoop(generator, plan, stack.leaders);
      assertAnswered(calls, "/verify");
      const services = Object.keys(stack.leaders).map((name) => cpu![name]!);
      return { calls: calls.length, cpuMs: (1_000 * sum(services)) / calls.length };
    },
    [Symbol.asyncDispose]: () => generator[Symbol.asyncDispose](),
  };
}

type VerifyLoad = AsyncDisposable & {
  /** Throws if a call was not answered. `cpuMs`: of all services for each call. */
  measure(stack: Stack, slice: Slice): Promise<{ calls: number; cpuMs: number }>;
};

type Slice = SliceTimes & {
  inFlight: number;
  /** Of one call after the other, besides those that every call has; none by default. */
  headersInTurn?: Record<string, string>[];
};
