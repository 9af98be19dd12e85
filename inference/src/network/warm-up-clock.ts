import type { ExecutionProvider } from "./execution-provider.ts";

/**
 * Returns the clock, in ms, by which the sizes of a network are compared. A GPU is measured by wall time.
 * On a CPU it is the CPU time of this thread: workers that start side by side wait for cores, and long runs
 * more often than short ones, so by wall time many small runs would seem cheaper than one.
 */
export const warmUpClock = (executionProvider: ExecutionProvider): WarmUpClock =>
  executionProvider === "cpu" ? threadCpuMs : wallMs;

export const wallMs: WarmUpClock = () => performance.now();

function threadCpuMs(): number {
  // Linux adds up what a thread took when it leaves its core, and else once in some milliseconds.
  Atomics.wait(never, 0, 0, leaveCoreMs);
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const never = new Int32Array(new SharedArrayBuffer(4));
const leaveCoreMs = 0.05;

/** Two readings of it differ by the ms that a run took between them. */
export type WarmUpClock = () => number;
