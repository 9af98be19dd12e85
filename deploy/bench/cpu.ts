import { readdirSync, readFileSync } from "node:fs";

/**
 * CPU seconds that processes use between two looks. Each name is the leader of a process group: what its children used
 * counts with it. Only Linux tells (/proc); elsewhere nothing is measured, and the tables say so.
 */
export function measureCpu(leaders: Record<string, number>): () => Cpu {
  const before = secondsOfGroups();
  return () => {
    const after = secondsOfGroups();
    if (before === undefined || after === undefined) return null;
    return Object.fromEntries(
      Object.entries(leaders).map(([name, pid]) => [name, (after.get(pid) ?? 0) - (before.get(pid) ?? 0)]),
    );
  };
}

function secondsOfGroups(): Map<number, number> | undefined {
  if (process.platform !== "linux") return undefined;
  const groups = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readStat(name);
    if (stat !== undefined) groups.set(stat.group, (groups.get(stat.group) ?? 0) + stat.seconds);
  }
  return groups;
}

function readStat(pid: string): ProcessCpu | undefined {
  try {
    return cpuOf(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    // It has ended since the folder was read.
    return undefined;
  }
}

/** From `/proc/PID/stat`: what the process and those of its children used that have ended. */
export function cpuOf(stat: string): ProcessCpu {
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
  return { group: fields[2]!, seconds: ticks / ticksPerSecond };
}

/** Linux counts in hundredths towards programs, whatever the kernel's own rate. */
const ticksPerSecond = 100;

type ProcessCpu = { group: number; seconds: number };

/** Seconds by name; null where the system does not tell. */
export type Cpu = Record<string, number> | null;
