import { readdirSync, readFileSync } from "node:fs";
import { cpuOf } from "./cpu.ts";

/**
 * MiB that processes have in memory, by name; each name is the leader of a process group, and its children count with
 * it. What processes of a group share counts for each of them. Only Linux tells (/proc); null elsewhere.
 */
export function residentMib(leaders: Record<string, number>): Record<string, number> | null {
  if (process.platform !== "linux") return null;
  const names = new Map(Object.entries(leaders).map(([name, leader]) => [leader, name]));
  const mib: Record<string, number> = {};
  for (const pid of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    try {
      const name = names.get(cpuOf(readFileSync(`/proc/${pid}/stat`, "utf8")).group);
      if (name === undefined) continue;
      mib[name] = (mib[name] ?? 0) + residentOf(readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
      // It has ended since the folder was read.
    }
  }
  return mib;
}

/** From `/proc/PID/status`, MiB. A process that is being buried has none. */
export const residentOf = (status: string): number =>
  Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024;
