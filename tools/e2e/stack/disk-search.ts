import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

const windowBytes = 48;
const windowsEach = 8;
const numbersEach = 4;

/** Fragments by which content is recognised on disk, in each encoding in which it could have been written. */
export function fragmentsOf(content: Buffer): Buffer[] {
  return windowOffsets(content.length, windowBytes).flatMap((at) => {
    const fragment = content.subarray(at, at + windowBytes);
    // Base64 differs with the offset modulo 3 of the fragment in the encoded content.
    const base64 = [0, 1, 2].map((skip) =>
      fragment.subarray(skip, skip + windowBytes - 3).toString("base64"),
    );
    const texts = [...base64, fragment.toString("hex"), fragment.join(",")];
    return [fragment, ...texts.map((text) => Buffer.from(text))];
  });
}

/** Fragments of an embedding: its bytes, and a few of its numbers as JSON. */
export function fragmentsOfVector(vector: number[]): Buffer[] {
  const float32 = Buffer.from(Float32Array.from(vector).buffer);
  const texts = windowOffsets(vector.length, numbersEach).map((at) =>
    vector.slice(at, at + numbersEach).join(","),
  );
  return [...fragmentsOf(float32), ...texts.map((text) => Buffer.from(text))];
}

/**
 * Evenly spread offsets, without the first and the last eighth: the beginnings of many files are the same.
 */
function windowOffsets(length: number, size: number): number[] {
  const first = Math.floor(length / 8);
  const step = Math.floor((length - 2 * first - size) / windowsEach);
  if (step < 1) throw new Error(`${length} are too few to be recognised by`);
  return Array.from({ length: windowsEach }, (_, i) => first + i * step);
}

/**
 * Returns the files below the folders that contain a fragment. Reads in chunks, so that a large log costs no
 * memory.
 */
export async function filesContaining(fragments: Buffer[], folders: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    for (const file of await filesBelow(folder)) {
      if ((await unlessGone(containsAny(file, fragments))) === true) found.push(file);
    }
  }
  return found;
}

/**
 * Returns the files below a folder. Kafka deletes the folder of a topic some time after the topic, also while
 * they are listed: then they are listed again.
 */
export async function filesBelow(folder: string): Promise<string[]> {
  for (let tries = 1; tries <= listingTriesMax; tries++) {
    const entries = await unlessGone(readdir(folder, { recursive: true, withFileTypes: true }));
    if (entries === undefined) continue;
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  }
  throw new Error(`The files below ${folder} change all the time.`);
}

const listingTriesMax = 20;

/** Returns undefined for a file or folder that was deleted meanwhile. */
export async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function containsAny(file: string, fragments: Buffer[]): Promise<boolean> {
  const overlap = Math.max(...fragments.map((fragment) => fragment.length)) - 1;
  let before = Buffer.alloc(0);
  for await (const read of createReadStream(file, { highWaterMark: chunkBytes })) {
    const chunk = Buffer.concat([before, read as Buffer]);
    before = chunk.subarray(-overlap);
    // Kafka allocates its index files in full, so most chunks are zeros.
    if (chunk.equals(zeros.subarray(0, chunk.length))) continue;
    if (fragments.some((fragment) => chunk.includes(fragment))) return true;
  }
  return false;
}

export const chunkBytes = 256 * 1024;
const zeros = Buffer.alloc(2 * chunkBytes);
