import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a file whole or not at all. Makes its folder, which only its owner can read. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, content, { flush: true });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
