import { execFile } from "node:child_process";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setInterval } from "node:timers/promises";
import { promisify } from "node:util";
import { megabytes } from "../megabytes.ts";
import type { DownloadLimits } from "./download.ts";

/**
 * Runs a program, npm or pip, that downloads one file into `folder`, and kills it if the folder grows beyond
 * `bytesMax` or a limit is exceeded. Throws one sentence: that of `sentenceOf` if the program failed, or the
 * reason of `stop`.
 */
export async function downloadBy(
  [program, ...args]: readonly [string, ...string[]],
  { sentenceOf, stop, cwd, env, ...watched }: ProgramOptions,
): Promise<void> {
  const overrun = new AbortController();
  const done = new AbortController();
  const watching = watchFolder({ ...watched, done: done.signal }).catch((fault: unknown) =>
    overrun.abort(fault),
  );
  const signal = AbortSignal.any([stop, overrun.signal]);
  try {
    await promisify(execFile)(program, args, { signal, killSignal: "SIGKILL", cwd, env });
  } catch (cause) {
    signal.throwIfAborted();
    throw new Error(sentenceOf(cause as ProgramFault), { cause });
  } finally {
    done.abort();
    await watching;
  }
}

/** Throws one sentence when a limit is exceeded. */
async function watchFolder({
  folder,
  sender,
  expected,
  bytesMax,
  progress,
  limits,
  done,
}: WatchOptions & { done: AbortSignal }): Promise<void> {
  const startedAt = performance.now();
  let size = 0;
  let grewAt = startedAt;
  try {
    for await (const _ of setInterval(pollEveryMs, undefined, { signal: done })) {
      const now = performance.now();
      const grown = await sizeOf(folder);
      if (grown !== size) grewAt = now;
      size = grown;
      if (size > bytesMax) {
        throw new Error(
          `${sender} sends more than the ${megabytes(expected.bytes)} of the ${expected.what}.`,
        );
      }
      if (now - grewAt > limits.stallMaxMs) {
        throw new Error(`${sender} has sent nothing for ${limits.stallMaxMs / 1000} s.`);
      }
      if (now - startedAt > limits.downloadMaxMs) {
        throw new Error(`${sender} takes longer than ${limits.downloadMaxMs / 60_000} minutes.`);
      }
      progress(Math.min(size, expected.bytes));
    }
  } catch (error) {
    if (!done.aborted) throw error;
  }
}

const pollEveryMs = 250;

/** Files may vanish meanwhile. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async ({ parentPath, name }) => (await stat(join(parentPath, name)).catch(() => undefined))?.size);
  return (await Promise.all(sizes)).reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

/** Options of a program's download, whatever the program is. */
export type FetchOptions = {
  /** Is called with the bytes that have come so far. */
  progress: (bytes: number) => void;
  stop: AbortSignal;
  limits?: DownloadLimits | undefined;
};

type WatchOptions = Pick<FetchOptions, "progress"> & {
  folder: string;
  /** Sender and file, as sentences name them. */
  sender: string;
  expected: { what: string; bytes: number };
  /** Size limit of the folder. */
  bytesMax: number;
  limits: DownloadLimits;
};

type ProgramOptions = WatchOptions & {
  sentenceOf: (fault: ProgramFault) => string;
  stop: AbortSignal;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
};

/** `code` is ENOENT if there is no such program, and otherwise its exit code. */
export type ProgramFault = { code?: string | number; stdout?: string; stderr?: string };
