import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Identifies a process beyond its pid, which may be reused: its start time, on this boot of the machine.
 * Undefined when there is no such process.
 */
export function identify(pid: number): string | undefined {
  if (process.platform !== "linux") return startTimeFromPs(pid);
  try {
    const { state, startTicks } = readStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
    // A zombie has ended; its parent has not collected it yet.
    return state === "Z" ? undefined : `${bootId()}/${startTicks}`;
  } catch {
    return undefined;
  }
}

/** Reads `/proc/PID/stat`: `pid (name) state …`, where the name may hold spaces and brackets. */
export function readStat(stat: string): { state: string; startTicks: string } {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0]!, startTicks: fields[19]! };
}

const bootId = (): string => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();

function startTimeFromPs(pid: number): string | undefined {
  const { status, stdout } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
  return status === 0 && stdout.trim() !== "" ? stdout.trim() : undefined;
}
