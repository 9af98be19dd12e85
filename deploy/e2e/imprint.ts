import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

const windowBytes = 48;
const windowsEach = 8;
const numbersEach = 4;

/** Runs of bytes by which content is known again, in the forms in which somebody could have written it. */
export function imprintOf(content: Buffer): Buffer[] {
  return windows(content.length, windowBytes).flatMap((at) => {
    const run = content.subarray(at, at + windowBytes);
    // Base64 looks different for each place modulo 3 at which a run may begin in what was encoded.
    const base64 = [0, 1, 2].map((skip) => run.subarray(skip, skip + windowBytes - 3).toString("base64"));
    const texts = [...base64, run.toString("hex"), run.join(",")];
    return [run, ...texts.map((text) => Buffer.from(text))];
  });
}

/** An embedding is also known by a few of its numbers, as JSON has them. */
export function imprintOfVector(vector: number[]): Buffer[] {
  const float32 = Buffer.from(Float32Array.from(vector).buffer);
  const texts = windows(vector.length, numbersEach).map((at) => vector.slice(at, at + numbersEach).join(","));
  return [...imprintOf(float32), ...texts.map((text) => Buffer.from(text))];
}

/** Where they begin: spread evenly, the first and the last eighth aside. What opens a file is the same in many. */
function windows(length: number, size: number): number[] {
  const first = Math.floor(length / 8);
  const step = Math.floor((length - 2 * first - size) / windowsEach);
  if (step < 1) throw new Error(`${length} are too few to be known again by`);
  return Array.from({ length: windowsEach }, (_, i) => first + i * step);
}

/** The files below these folders in which a run is found. Reads piece by piece, so that a large log costs no memory. */
export async function filesWith(runs: Buffer[], folders: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (entry.isFile() && (await holds(file, runs))) found.push(file);
    }
  }
  return found;
}

async function holds(file: string, runs: Buffer[]): Promise<boolean> {
  const overlap = Math.max(...runs.map((run) => run.length)) - 1;
  let before = Buffer.alloc(0);
  for await (const read of createReadStream(file, { highWaterMark: pieceBytes })) {
    const piece = Buffer.concat([before, read as Buffer]);
    before = piece.subarray(-overlap);
    // Kafka's indexes are allocated in full: most of what there is to read is zeros.
    if (piece.equals(zeros.subarray(0, piece.length))) continue;
    if (runs.some((run) => piece.includes(run))) return true;
  }
  return false;
}

export const pieceBytes = 256 * 1024;
const zeros = Buffer.alloc(2 * pieceBytes);
