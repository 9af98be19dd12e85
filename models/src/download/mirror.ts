import { basename, join } from "node:path";
import { readOnnxFile } from "../contract/onnx-file.ts";
import { sha256 } from "../model-file.ts";
import type { WantedFile } from "./download.ts";

/**
 * Reads a file from a folder instead of the network, by the last part of its address. It must have the same
 * SHA-256. Throws one sentence.
 */
export async function readFromMirror(folder: string, wanted: WantedFile, bytesMax: number): Promise<Buffer> {
  const path = join(folder, mirrorName(wanted.url));
  const absent = `${path} is not there: copy the file of ${wanted.url} to it.`;
  const bytes = await readOnnxFile(path, bytesMax, absent);
  if (sha256(bytes) === wanted.sha256) return bytes;
  throw new Error(`${path} is another file than the one that is wanted: its SHA-256 is another.`);
}

/** The name that the file of an address has in a mirror folder. */
const mirrorName = (url: string): string => basename(decodeURIComponent(new URL(url).pathname));
