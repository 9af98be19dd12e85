import { existsSync, readFileSync } from "node:fs";

/** Only Linux tells what a process keeps in memory. */
export const memoryIsTold: boolean = existsSync("/proc/self/status");

/** What the process keeps in memory now, and the most that it ever kept, in MiB. */
export function memoryOf(pid: number): { nowMib: number; mostMib: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1_024;
  return { nowMib: mib("VmRSS"), mostMib: mib("VmHWM") };
}
