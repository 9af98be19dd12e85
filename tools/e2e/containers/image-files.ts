import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import type { ContainerEngine } from "./engine.ts";

/**
 * Returns, as lines, how two images differ: files with their content, rights, owner and time, and if these
 * are the same, that the difference is in the configuration or the history.
 */
export async function differences(engine: ContainerEngine, first: string, second: string): Promise<string> {
  const [before, after] = [await filesOf(engine, first), await filesOf(engine, second)];
  const lines = [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => `${path}: ${before.get(path) ?? "absent"} | ${after.get(path) ?? "absent"}`);
  if (lines.length === 0) return `${first} and ${second} have the same files, and differ in podman inspect`;
  return [`${lines.length} files of ${first} and ${second} differ:`, ...lines.slice(0, linesMax)].join("\n");
}

const linesMax = 30;

/** Path → what an image says of the file. */
async function filesOf(engine: ContainerEngine, tag: string): Promise<Map<string, string>> {
  const root = (await engine.podman("image", "mount", tag)).trim();
  try {
    const files = new Map<string, string>();
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const { mode, uid, gid, mtimeMs } = lstatSync(path);
      const content = entry.isFile() ? sha256Of(path) : entry.isSymbolicLink() ? readlinkSync(path) : "";
      files.set(relative(root, path), `${mode.toString(8)} ${uid}:${gid} ${mtimeMs} ${content}`);
    }
    return files;
  } finally {
    await engine.podman("image", "unmount", tag);
  }
}

const sha256Of = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");
