import { readFile, stat } from "node:fs/promises";
import { megabytes } from "../megabytes.ts";

/** Reads a file of at most `bytesMax`. Throws one sentence, `absent` if it is not there. */
export async function readOnnxFile(
  path: string,
  bytesMax: number,
  absent = `${path} cannot be read.`,
): Promise<Buffer> {
  const size = (await stat(path).catch(() => undefined))?.size;
  if (size === undefined) throw new Error(absent);
  if (size > bytesMax) {
    throw new Error(
      `${path} has ${megabytes(size)}, more than ${megabytes(bytesMax)}: --max-megabytes allows more.`,
    );
  }
  return readFile(path);
}
