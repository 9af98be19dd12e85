import { readdirSync, readFileSync } from "node:fs";

/**
 * CPU seconds that processes use between two looks. Each name is the leader of a process group: what its children used
 * counts with it. What the rest of the machine used meanwhile stands beside them, because it took it from them. Only
 * Linux tells (/proc); elsewhere nothing is measured, and the tables say so.
 */
export function measureCpu(leaders: Record<string, number>): () => Cpu {
  const before = look();
  return () => {
    const after = look();
    if (before === undefined || after === undefined) return null;
    const used: Record<string, number> = {};
    let others = after.busy - before.busy;
    for (const [name, leader] of Object.entries(leaders)) {
      const seconds = (after.groups.get(leader) ?? 0) - (before.groups.get(leader) ?? 0);
      used[name] = seconds;
      others -= seconds;
    }
    return { ...used, [everybodyElse]: Math.max(0, others) };
  };
}

/** Whatever else runs on the machine, the benchmark's own process with it. */
export const everybodyElse = "everybody else";

function look(): Look | undefined {
  if (process.platform !== "linux") return undefined;
  const groups = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const used = readStat(name);
    if (used !== undefined) groups.set(used.group, (groups.get(used.group) ?? 0) + used.seconds);
  }
  return { groups, busy: busyOf(readFileSync("/proc/stat", "utf8")) };
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
  return { group: fields[2]!, seconds: seconds(fields.slice(11, 15)) };
}

/** From `/proc/stat`, all cores together: user, nice, system, then idle and waiting, then interrupts and what a hypervisor took. */
export function busyOf(stat: string): number {
  const [, user = 0, nice = 0, system = 0, , , ...rest] = stat
    .slice(0, stat.indexOf("\n"))
    .split(/ +/)
    .map(Number);
  return seconds([user, nice, system, ...rest.slice(0, 3)]);
}

/** Linux counts in hundredths towards programs, whatever the kernel's own rate. */
const seconds = (ticks: number[]): number => ticks.reduce((sum, each) => sum + each, 0) / 100;

type ProcessCpu = { group: number; seconds: number };
type Look = { groups: Map<number, number>; busy: number };

/** Seconds by name; null where the system does not tell. */
export type Cpu = Record<string, number> | null;
