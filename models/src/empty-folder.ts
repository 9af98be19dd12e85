import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { getCACertificates } from "node:tls";

/**
 * An empty folder for a process to work in. If a file name in a foreign network slipped through every check,
 * it would be looked up in the working folder: nothing is there.
 */
export function makeEmptyFolder(): Disposable & { path: string } {
  const path = makeTemporaryFolder("faceline-empty-");
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Makes a folder in TMPDIR. Throws a sentence. */
export function makeTemporaryFolder(prefix: string): string {
  const parent = resolve(tmpdir());
  try {
    return mkdtempSync(join(parent, prefix));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`TMPDIR: ${parent} must be a folder that this account can write to (${code})`, { cause });
  }
}

let entered = false;

/**
 * Moves this process into an empty folder of its own, which is removed when the process exits; one that is
 * killed leaves an empty folder behind. Later calls do nothing. Resolve relative paths first.
 */
export function enterEmptyFolder(): void {
  if (entered) return;
  entered = true;
  // Node reads the file of NODE_EXTRA_CA_CERTS when it first needs it, and the path may be relative.
  getCACertificates("extra");
  const folder = makeEmptyFolder();
  process.chdir(folder.path);
  process.once("exit", () => folder[Symbol.dispose]());
}
