import { readFileSync } from "node:fs";
import { cpus } from "node:os";

/**
 * Begins to watch how many cores this process does not get: those that other programs use, and those that
 * the hypervisor gives to other machines. Returns a function that reads it.
 */
export function watchOtherWork(): () => OtherWork {
  const before = read();
  return () => otherWork(before, read());
}

/** Returns the work between two readings that was not this process's. */
export function otherWork(before: Reading, after: Reading): OtherWork {
  const forMs = Math.max(1, after.at - before.at);
  const othersMs = after.busyMs - before.busyMs - (after.ownMs - before.ownMs);
  return {
    othersCores: Math.max(0, othersMs) / forMs,
    stolenCores: Math.max(0, after.stolenMs - before.stolenMs) / forMs,
  };
}

const read = (): Reading => ({
  at: performance.now(),
  busyMs: busyMs(),
  ownMs: ownMs(),
  stolenMs: stolenMs(),
});

/** Returns what stands in the way of a calibration, as a sentence; undefined on a quiet machine. */
export function noiseSentence({ othersCores, stolenCores }: OtherWork): string | undefined {
  if (othersCores + stolenCores <= otherWorkMax) return undefined;
  const more = `more than ${otherWorkMax}`;
  if (stolenCores <= othersCores) return `other programs use ${othersCores.toFixed(2)} cores, ${more}`;
  return `the hypervisor gives ${stolenCores.toFixed(2)} cores to other machines, ${more}`;
}

function busyMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

function ownMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Of all cores. Linux alone reports it. */
function stolenMs(): number {
  if (process.platform !== "linux") return 0;
  return stolenMsIn(readFileSync("/proc/stat", "utf8"));
}

/** Reads `/proc/stat`, whose first line has `steal` as its eighth number, in hundredths of a second. */
export function stolenMsIn(stat: string): number {
  const ticks = Number(stat.slice(0, stat.indexOf("\n")).split(/ +/)[8]);
  return Number.isFinite(ticks) ? 10 * ticks : 0;
}

/** In cores. Above it a machine is not quiet: what else runs changes run times by more than they vary. */
const otherWorkMax = 0.1;

export type OtherWork = { othersCores: number; stolenCores: number };

/** Sums since some start, of all cores, in ms. `busyMs` is without `stolenMs`. */
type Reading = { at: number; busyMs: number; ownMs: number; stolenMs: number };
