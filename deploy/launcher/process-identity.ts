import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Tells a process from another one that was given the same number later: its start time, on this boot of the machine.
 * Undefined: there is no such process.
 */
export function identify(pid: number): string | undefined {
  if (process.platform !== "linux") return startedByPs(pid);
  try {
    const { state, startTicks } = readStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
    // A zombie has ended; only its parent has not looked yet.
    return state === "Z" ? undefined : `${boot()}/${startTicks}`;
  } catch {
    return undefined;
  }
}

/** From `/proc/PID/stat`: `pid (name) state …`, where the name may hold spaces and brackets. */
export function readStat(stat: string): { state: string; startTicks: string } {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0]!, startTicks: fields[19]! };
}

const boot = (): string => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();

function startedByPs(pid: number): string | undefined {
  const { status, stdout } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
  return status === 0 && stdout.trim() !== "" ? stdout.trim() : undefined;
}
