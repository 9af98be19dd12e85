import { readdirSync, readFileSync } from "node:fs";
import { cpuOf } from "./cpu.ts";

/**
 * CPU seconds of the threads of processes, by the process and the name of the thread: `inference-1 engine`. Those of one
 * name are added up. Undefined where the system does not tell: only Linux does.
 */
export function threadSeconds(leaders: Readonly<Record<string, number>>): Map<string, number> | undefined {
  if (process.platform !== "linux") return undefined;
  const seconds = new Map<string, number>();
  for (const [name, pid] of Object.entries(leaders)) {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8");
      const called = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
      const key = `${name} ${called}`;
      seconds.set(key, (seconds.get(key) ?? 0) + cpuOf(stat).seconds);
    }
  }
  return seconds;
}
