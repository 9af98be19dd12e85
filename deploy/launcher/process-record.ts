import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { identify } from "./process-identity.ts";

/**
 * Which processes a launch has started, on disk: a launcher that is killed cannot stop its broker, and the next one
 * must know which processes are left over. A number alone says little, so each is recorded with its start.
 */
export class ProcessRecord {
  readonly #file: string;
  readonly #running = new Map<number, Recorded>();

  private constructor(file: string) {
    this.#file = file;
  }

  /**
   * Begins the record of this launch and ends what an earlier one left behind. Throws when that one still runs: two
   * brokers must not share a data folder.
   */
  static async begin(file: string, say: (line: string) => void): Promise<ProcessRecord> {
    const { owner } = await endLeftovers(file, say);
    if (owner !== undefined) {
      throw new Error(
        `Faceline already runs from this state folder (process ${owner}): stop it first, or set FACELINE_STATE to another folder.`,
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

  /** The processes that run now, by name: each leads a group of its own. */
  leaders(): Record<string, number> {
    return Object.fromEntries([...this.#running.values()].map(({ name, pid }) => [name, pid]));
  }

  [Symbol.dispose](): void {
    rmSync(this.#file, { force: true });
  }

  #write(): void {
    const launcher = { name: "launcher", pid: process.pid, identity: identify(process.pid) ?? "" };
    const text = JSON.stringify({ launcher, running: [...this.#running.values()] } satisfies OnDisk);
    // A launcher that dies in the middle of a write must not leave half a record.
    writeFileSync(`${this.#file}.new`, text, { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
  }
}

/** Ends what a launcher left behind that is gone. One that still runs is told by its number, and nothing is ended. */
export async function endLeftovers(
  file: string,
  say: (line: string) => void,
): Promise<{ owner: number | undefined }> {
  const before = read(file);
  if (before === undefined) return { owner: undefined };
  if (isAlive(before.launcher)) return { owner: before.launcher.pid };
  for (const left of before.running) await end(left, say);
  return { owner: undefined };
}

async function end(left: Recorded, say: (line: string) => void): Promise<void> {
  if (!isAlive(left)) return;
  say(`ending ${left.name} (process ${left.pid}), left over from a launcher that was killed`);
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (isAlive(left)) process.kill(left.pid, signal);
    for (let waitedMs = 0; waitedMs < leftoverMs && isAlive(left); waitedMs += 50) await sleep(50);
  }
}

/** How long a process that was left over may take to stop before it is killed. */
const leftoverMs = 10_000;

const isAlive = (process: Recorded): boolean => identify(process.pid) === process.identity;

function read(file: string): OnDisk | undefined {
  try {
    return OnDisk.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

const Recorded = z.object({ name: z.string(), pid: z.int().positive(), identity: z.string().min(1) });
type Recorded = z.infer<typeof Recorded>;

const OnDisk = z.object({ launcher: Recorded, running: z.array(Recorded) });
type OnDisk = z.infer<typeof OnDisk>;
