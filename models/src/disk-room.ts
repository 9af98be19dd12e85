import { statfs } from "node:fs/promises";
import { megabytes } from "./megabytes.ts";

/** Throws one sentence where the disk of a folder has less room. */
export async function requireRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes) return;
  throw new Error(
    `The pull needs ${megabytes(bytes)} for a while, and ${megabytes(bavail * bsize)} are free in ${folder}.`,
  );
}
