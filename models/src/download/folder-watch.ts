import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setInterval } from "node:timers/promises";
import { megabytes } from "../megabytes.ts";

/**
 * Watches how a folder grows while another program downloads into it. Ends when `done` aborts. Throws one
 * sentence when a limit is exceeded.
 */
export async function watchFolder(
  folder: string,
  { sender, expected, bytesMax, progress, limits, done }: WatchOptions,
): Promise<void> {
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
      if (now - startedAt > limits.fetchMaxMs) {
        throw new Error(`${sender} takes longer than ${limits.fetchMaxMs / 60_000} minutes.`);
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

type WatchOptions = {
  /** Sender and file, as sentences name them. */
  sender: string;
  expected: { what: string; bytes: number };
  /** Size limit of the folder. */
  bytesMax: number;
  /** Is called with the bytes that have come so far. */
  progress: (bytes: number) => void;
  limits: { stallMaxMs: number; fetchMaxMs: number };
  done: AbortSignal;
};
