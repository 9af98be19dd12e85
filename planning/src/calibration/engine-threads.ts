import { readdirSync, readFileSync } from "node:fs";

/**
 * Returns the CPU time that the threads of engines on this machine have taken so far, in ms: those that are
 * named as inference/src/engine/engine.ts does. Undefined where there are none to be seen: on anything but
 * Linux, or where the workers run on another machine.
 */
export function engineThreadsMs(): number | undefined {
  if (process.platform !== "linux") return undefined;
  let sumMs: number | undefined;
  for (const pid of readdirSync("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    for (const stat of threadStats(pid)) {
      const ms = engineMsIn(stat);
      if (ms !== undefined) sumMs = (sumMs ?? 0) + ms;
    }
  }
  return sumMs;
}

/** Of a line of `/proc/PID/task/TID/stat`; undefined for a thread with another name. */
export function engineMsIn(stat: string): number | undefined {
  const nameEnd = stat.lastIndexOf(")");
  if (stat.slice(stat.indexOf("(") + 1, nameEnd) !== "engine") return undefined;
  // `utime` and `stime`, in hundredths of a second: the 14th and the 15th field, the name being the second.
  const [user, system] = stat
    .slice(nameEnd + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return 10 * (user! + system!);
}

/** A process or a thread that ends meanwhile is left out. */
function threadStats(pid: string): string[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8"));
  } catch {
    return [];
  }
}
