import { spawnSync } from "node:child_process";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";

/**
 * The processes of a launch, on disk. A launcher that is killed cannot stop its broker, so the next one must
 * know which processes are left over. Each is recorded with its start time, because pids are reused.
 */
export class ProcessRecord {
  readonly #file: string;
  readonly #running = new Map<number, RecordedProcess>();

  private constructor(file: string) {
    this.#file = file;
  }

  /**
   * Creates the record of this launch and ends the processes that an earlier launch left behind. Throws when
   * that launch still runs: two brokers must not share a data folder.
   */
  static async begin(file: string, print: (line: string) => void): Promise<ProcessRecord> {
    const { owner } = await endLeftovers(file, print);
    if (owner !== undefined) {
      throw new Error(
        `Faceline is already running from this state folder (process ${owner}): stop it first, or set FACELINE_STATE to another folder.`,
      );
    }
    const record = new ProcessRecord(file);
    record.#write();
    return record;
  }

  started(name: string, pid: number): void {
    const identity = identify(pid);
    if (identity === undefined) return;
    this.#running.set(pid, { name, pid, identity });
    this.#write();
  }

  ended(pid: number): void {
    this.#running.delete(pid);
    this.#write();
  }

  /** The pids of the running processes, by name. Each leads its own process group. */
  leaders(): Record<string, number> {
    return Object.fromEntries([...this.#running.values()].map(({ name, pid }) => [name, pid]));
  }

  [Symbol.dispose](): void {
    rmSync(this.#file, { force: true });
  }

  #write(): void {
    const launcher = { name: "launcher", pid: process.pid, identity: identify(process.pid) ?? "" };
    const text = JSON.stringify({ launcher, running: [...this.#running.values()] } satisfies RecordFile);
    // Renamed into place, so that a launcher that dies in the middle of a write leaves no half record.
    writeFileSync(`${this.#file}.new`, text, { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
  }
}

/**
 * Ends the processes that a dead launcher left behind. When that launcher still runs, it ends nothing and
 * returns the launcher's pid as `owner`.
 */
export async function endLeftovers(
  file: string,
  print: (line: string) => void,
): Promise<{ owner: number | undefined }> {
  const record = readRecord(file);
  if (record === undefined) return { owner: undefined };
  if (isRunning(record.launcher)) return { owner: record.launcher.pid };
  for (const leftover of record.running) await endProcess(leftover, print);
  return { owner: undefined };
}

async function endProcess(leftover: RecordedProcess, print: (line: string) => void): Promise<void> {
  if (!isRunning(leftover)) return;
  print(`ending ${leftover.name} (process ${leftover.pid}), left over from a launcher that was killed`);
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (isRunning(leftover)) process.kill(leftover.pid, signal);
    for (let waitedMs = 0; waitedMs < leftoverStopMs && isRunning(leftover); waitedMs += 50) await sleep(50);
  }
}

/** How long a leftover process may take to stop before it is killed. */
const leftoverStopMs = 10_000;

const isRunning = (process: RecordedProcess): boolean => identify(process.pid) === process.identity;

function readRecord(file: string): RecordFile | undefined {
  try {
    return RecordFile.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

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

const RecordedProcess = z.object({ name: z.string(), pid: z.int().positive(), identity: z.string().min(1) });
type RecordedProcess = z.infer<typeof RecordedProcess>;

const RecordFile = z.object({ launcher: RecordedProcess, running: z.array(RecordedProcess) });
type RecordFile = z.infer<typeof RecordFile>;
