import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * Makes a temporary folder in `parent`, which is removed at the end, and removes those of its prefix that
 * killed commands have left. A dot at the start of the prefix keeps it out of the catalogue.
 */
export async function openStagingFolder(
  parent: string,
  prefix: `.${string}-`,
): Promise<AsyncDisposable & { path: string }> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeLeftOver(parent, prefix);
  const path = await mkdtemp(join(parent, prefix));
  return { path, [Symbol.asyncDispose]: () => remove(path) };
}

/** Removes the temporary folders of a prefix that were made long ago. */
export async function removeLeftOver(parent: string, prefix: `.${string}-`): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(parent, name);
    const since = (await stat(path).catch(() => undefined))?.mtimeMs;
    if (since !== undefined && Date.now() - since > leftOverMs) await remove(path);
  }
}

/** Twice as long as a download may take. */
export const leftOverMs = 2 * 3_600_000;

/** A program that was killed a moment ago may still be writing. */
const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 5 });
