import { readFileSync } from "node:fs";
import { busyOf, stolenOf, treeSeconds } from "./processes.ts";

/**
 * Begins to measure what this program and its children do not do themselves, and returns a function that says
 * it, in cores: the work of other programs, and what the hypervisor gave to other machines. Reads /proc:
 * undefined on anything but Linux.
 */
export function watchOtherWork(): () => OtherWork | undefined {
  if (process.platform !== "linux") return () => undefined;
  const before = read();
  return () => otherWork(before, read());
}

/** The work between two readings that was not this program's. */
export function otherWork(before: MachineTimes, after: MachineTimes): OtherWork {
  const seconds = after.at - before.at;
  const stolen = after.stolen - before.stolen;
  const others = after.busy - before.busy - stolen - (after.own - before.own);
  return { othersCores: Math.max(0, others) / seconds, stolenCores: stolen / seconds };
}

function read(): MachineTimes {
  const stat = readFileSync("/proc/stat", "utf8");
  const own = treeSeconds(process.pid);
  return { at: performance.now() / 1_000, busy: busyOf(stat), stolen: stolenOf(stat), own };
}

export type OtherWork = { othersCores: number; stolenCores: number };

/** In seconds. `busy` contains `stolen`; `own`: of this program and its children. */
type MachineTimes = { at: number; busy: number; stolen: number; own: number };
