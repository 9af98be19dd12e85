import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fetchWheel } from "@faceline/models/download/pip-wheel";
import type { PinnedWheel } from "@faceline/models/download/wheel";
import { openStagingFolder } from "@faceline/models/staging-folder";
import * as z from "zod";
import { repository } from "./state-folder.ts";

/** Returns the wheel for this platform from a file of the package; undefined if there is none. */
export function wheelForPlatform<T extends PinnedWheel>(file: string, schema: z.ZodType<T>): T | undefined {
  const pins = JSON.parse(readFileSync(join(repository, "deploy", file), "utf8")) as unknown;
  return z.record(z.string(), schema).parse(pins)[`${process.platform}-${process.arch}`];
}

/**
 * Fetches a wheel, and passes its path and a temporary folder to `unpack`, which moves into `folder` what is
 * complete. `alternative`: how to do without the network, the end of a sentence.
 */
export async function fetchInto(
  folder: string,
  wheel: PinnedWheel,
  { stop, alternative }: { stop: AbortSignal; alternative: string },
  unpack: (path: string, temporary: string) => Promise<void>,
): Promise<void> {
  await using temporary = await openStagingFolder(folder, ".wheel-");
  const path = await fetchWheel(temporary.path, wheel, { progress: () => {}, stop, alternative });
  await unpack(path, temporary.path);
}
