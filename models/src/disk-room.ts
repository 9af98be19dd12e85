import { statfs } from "node:fs/promises";
import { megabytes } from "./megabytes.ts";

/** Throws one sentence if the disk of a folder has less space. */
export async function requireRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes) return;
  throw new Error(
    `The pull needs ${megabytes(bytes)} for a while, and ${megabytes(bavail * bsize)} are free in ${folder}.`,
  );
}

export const isDiskFull = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === "ENOSPC";

/** Returns a sentence about a fault while files were written into a folder. */
export function sentenceOnDisk(cause: unknown, folder: string): string {
  return isDiskFull(cause) ? `The disk of ${folder} is full.` : (cause as Error).message;
}
