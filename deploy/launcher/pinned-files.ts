import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { sha256OfFile } from "@faceline/models/model-file";

/** Returns the hash of each file by its name, from lines as `sha256sum` prints them. */
export function readHashes(list: string): Map<string, string> {
  const lines = list.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const [, sha256, name] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
      if (sha256 === undefined || name === undefined) throw new Error(`Not a line of sha256sum: ${line}`);
      return [name, sha256];
    }),
  );
}

/**
 * Returns what is wrong with the jars of a folder that may hold the pinned ones alone, such as `missing
 * a.jar`, in the order of their names. Java loads every jar of the folder, so one too many is wrong too.
 */
export async function jarFaults(folder: string, pinned: Map<string, string>): Promise<string[]> {
  const present = (await readdir(folder)).filter((name) => name.toLowerCase().endsWith(".jar"));
  const names = [...new Set([...pinned.keys(), ...present])].toSorted();
  const faults = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      if (!pinned.has(name)) return [`unknown ${name}`];
      if (!existsSync(file)) return [`missing ${name}`];
      return (await sha256OfFile(file)) === pinned.get(name) ? [] : [`changed ${name}`];
    }),
  );
  return faults.flat();
}
