import { readFile, stat } from "node:fs/promises";
import { megabytes } from "../megabytes.ts";

/** Reads the file that is to be added. Throws one sentence. */
export async function readOnnxFile(path: string, bytesMax: number): Promise<Buffer> {
  const size = (await stat(path).catch(() => undefined))?.size;
  if (size === undefined) throw new Error(`${path} cannot be read.`);
  if (size > bytesMax) {
    throw new Error(
      `${path} has ${megabytes(size)}, more than ${megabytes(bytesMax)}: --max-megabytes allows more.`,
    );
  }
  return readFile(path);
}
