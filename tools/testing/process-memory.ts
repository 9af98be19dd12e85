import { existsSync, readFileSync } from "node:fs";

/** The memory of a process is read from /proc, which only Linux has. */
export const processMemoryIsReadable: boolean = existsSync("/proc/self/status");

/** Resident memory of a process in MiB: now, and its peak. */
export function processMemory(pid: number): { nowMib: number; peakMib: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1_024;
  return { nowMib: mib("VmRSS"), peakMib: mib("VmHWM") };
}
