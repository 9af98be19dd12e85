import { globSync, readdirSync, readFileSync } from "node:fs";
import { sum } from "../statistics.ts";

/**
 * Begins to measure CPU time and returns a function that ends it: seconds by name. `leaders` holds the
 * process id of the leader of a process group for each name; the children of a group count with it. The rest
 * of the machine stands beside them, because it took its time from them. Reads /proc, so the result is null
 * on anything but Linux.
 */
export function measureCpu(leaders: Readonly<Record<string, number>>): () => Cpu {
  const before = snapshot();
  return () => {
    const after = snapshot();
    if (before === undefined || after === undefined) return null;
    const used: Record<string, number> = {};
    for (const [name, leader] of Object.entries(leaders)) {
      used[name] = (after.groups.get(leader) ?? 0) - (before.groups.get(leader) ?? 0);
    }
    const others = after.busy - before.busy - sum(Object.values(used));
    return { ...used, [restOfMachine]: Math.max(0, others) };
  };
}

/**
 * Begins to measure CPU time by thread and returns a function that ends it: seconds by the names of a process
 * and of a thread, `inference-1 engine`. Threads that have ended meanwhile are left out. Linux only.
 */
export function measureThreads(leaders: Readonly<Record<string, number>>): () => Cpu {
  const before = threadSeconds(leaders);
  return () => {
    const used: Record<string, number> = {};
    for (const [thread, { name, seconds }] of threadSeconds(leaders)) {
      used[name] = (used[name] ?? 0) + seconds - (before.get(thread)?.seconds ?? 0);
    }
    return process.platform === "linux" ? used : null;
  };
}

function threadSeconds(leaders: Readonly<Record<string, number>>) {
  const threads = new Map<string, { name: string; seconds: number }>();
  for (const [name, pid] of Object.entries(leaders)) {
    for (const folder of globSync(`/proc/${pid}/task/*`)) {
      try {
        const thread = parseStat(readFileSync(`${folder}/stat`, "utf8"));
        threads.set(folder, { name: `${name} ${thread.name}`, seconds: thread.ownSeconds });
      } catch {
        // It has ended.
      }
    }
  }
  return threads;
}

/** Everything else that runs on the machine, the benchmark's own process included. */
export const restOfMachine = "everybody else";

/** Adds CPU times up by name; null if one of them is. */
export function sumCpu(all: readonly Cpu[]): Cpu {
  const total: Record<string, number> = {};
  for (const cpu of all) {
    if (cpu === null) return null;
    for (const [name, seconds] of Object.entries(cpu)) total[name] = (total[name] ?? 0) + seconds;
  }
  return total;
}

/**
 * Returns the MiB of process groups by name; `leaders` holds the process id of the leader of each. Memory
 * that processes share counts for each of them in `Rss`, and in equal parts in `Pss`. Reads /proc: null on
 * anything but Linux.
 */
export function memoryMib(
  leaders: Readonly<Record<string, number>>,
  kind: "Rss" | "Pss",
): Record<string, number> | null {
  if (process.platform !== "linux") return null;
  const names = new Map(Object.entries(leaders).map(([name, leader]) => [leader, name]));
  const mib: Record<string, number> = {};
  for (const { pid, group } of processes()) {
    const name = names.get(group);
    if (name !== undefined) mib[name] = (mib[name] ?? 0) + memoryMibOf(pid, kind);
  }
  return mib;
}

/** 0 for a process that has ended, or that is a zombie and has no memory any more. */
function memoryMibOf(pid: number, kind: "Rss" | "Pss"): number {
  try {
    const [, kib = 0] =
      new RegExp(`^${kind}: +(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
    return Number(kib) / 1_024;
  } catch {
    return 0;
  }
}

/** Returns the process ids and stat of every process; one that ends meanwhile is left out. */
export function processes(): ProcessStat[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [{ pid: Number(name), ...parseStat(readFileSync(`/proc/${name}/stat`, "utf8")) }];
      } catch {
        return [];
      }
    });
}

function snapshot(): Snapshot | undefined {
  if (process.platform !== "linux") return undefined;
  const groups = new Map<number, number>();
  for (const { group, seconds } of processes()) groups.set(group, (groups.get(group) ?? 0) + seconds);
  return { groups, busy: busyOf(readFileSync("/proc/stat", "utf8")) };
}

/**
 * Parses the `stat` of a process, or of a thread by its own name. `seconds`: user and system time, its own
 * and, for a process, that of children that have ended.
 */
export function parseStat(stat: string): Omit<ProcessStat, "pid"> {
  const nameEnd = stat.lastIndexOf(")");
  const fields = stat
    .slice(nameEnd + 2)
    .split(" ")
    .map(Number);
  return {
    name: stat.slice(stat.indexOf("(") + 1, nameEnd),
    group: fields[2]!,
    ownSeconds: secondsOf(fields.slice(11, 13)),
    seconds: secondsOf(fields.slice(11, 15)),
  };
}

/**
 * Parses `/proc/stat`: seconds in which any core was busy. Its fields are user, nice, system, idle, waiting
 * for a disk, then interrupts and the time that a hypervisor took.
 */
export function busyOf(stat: string): number {
  const [, user = 0, nice = 0, system = 0, , , ...rest] = stat
    .slice(0, stat.indexOf("\n"))
    .split(/ +/)
    .map(Number);
  return secondsOf([user, nice, system, ...rest.slice(0, 3)]);
}

/** Linux reports hundredths of a second to programs, whatever the rate of the kernel's own clock. */
const secondsOf = (ticks: number[]): number => sum(ticks) / 100;

type ProcessStat = {
  pid: number;
  name: string;
  group: number;
  ownSeconds: number;
  seconds: number;
};
type Snapshot = { groups: Map<number, number>; busy: number };

/** Seconds by name; null if the system does not report them. */
export type Cpu = Record<string, number> | null;
