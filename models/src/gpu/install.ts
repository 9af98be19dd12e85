import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { requireRoom, sentenceOnDisk } from "../disk-room.ts";
import type { PullOptions } from "../download/download.ts";
import { fetchWheel, takenFromFolder, wheelBytesMax } from "../download/pip-wheel.ts";
import type { Wheel } from "../download/wheel.ts";
import { isUnpacked, mirroredWheel, unpackWheel } from "../download/wheel-files.ts";
import { megabytes } from "../megabytes.ts";
import { sha256OfFile } from "../model-file.ts";
import { openStagingFolder, removeLeftOver } from "../staging-folder.ts";
import { cudaFolder } from "./cuda-folder.ts";
import type { CudaPins } from "./cuda-pins.ts";

/**
 * Fetches the wheels and unpacks their libraries beside the models. The folder of the libraries is there only
 * when it is complete; wheels that are unpacked already are not fetched again by the next call. Throws one
 * sentence.
 */
export async function installCuda(
  modelsDir: string,
  pins: CudaPins,
  { print, progress, stop, from, limits }: PullOptions,
): Promise<void> {
  const target = cudaFolder(modelsDir, pins);
  if (existsSync(target)) return print(`${target} is here already; --verify checks it`);
  const staging = `${target}${stagingSuffix}`;
  await mkdir(staging, { recursive: true, mode: 0o700 });
  await removeLeftOver(join(modelsDir, "gpu"), ".wheel-");
  try {
    const missing = await wheelsToFetch(pins, staging);
    await requireRoom(modelsDir, roomFor(missing, from));
    for (const wheel of missing) {
      stop.throwIfAborted();
      await using temporary = await openStagingFolder(join(modelsDir, "gpu"), ".wheel-");
      print(`${from === undefined ? "fetching" : "taking"} ${wheel.file}, ${megabytes(wheel.bytes)}`);
      const fetching = {
        progress: (bytes: number) => progress(bytes, wheel.bytes),
        stop,
        limits,
        alternative: takenFromFolder,
      };
      const path =
        from === undefined ? await fetchWheel(temporary.path, wheel, fetching) : mirroredWheel(from, wheel);
      await unpackWheel(path, wheel, staging);
    }
    stop.throwIfAborted();
    await rename(staging, target);
  } catch (cause) {
    const kept = await keptOf(pins, staging);
    throw new Error(`${sentenceOnDisk(cause, modelsDir)} Nothing was installed.${kept}`, { cause });
  }
  print(`installed ${target}; EXECUTION_PROVIDER=cuda uses it`);
}

/** One sentence for each library that is missing or changed. None: the folder is as it was installed. */
export async function cudaFaults(modelsDir: string, pins: CudaPins): Promise<string[]> {
  const folder = cudaFolder(modelsDir, pins);
  if (!existsSync(folder)) return [`${folder} is not there; "npm run models -- gpu" fetches it`];
  const faults: string[] = [];
  for (const { name, sha256 } of pins.wheels.flatMap(({ files }) => files)) {
    const path = join(folder, name);
    if (!existsSync(path)) faults.push(`${path} is missing`);
    else if ((await sha256OfFile(path)) !== sha256) faults.push(`${path} is not the pinned file`);
  }
  return faults;
}

/** Removes the libraries of all releases, and what a fetch that was cut off has left. */
export async function removeCuda(modelsDir: string): Promise<void> {
  await rm(join(modelsDir, "gpu"), { recursive: true, force: true });
}

async function wheelsToFetch({ wheels }: CudaPins, staging: string): Promise<Wheel[]> {
  const unpacked = await Promise.all(
    wheels.map(async ({ files }) =>
      (await Promise.all(files.map((file) => isUnpacked(staging, file)))).every(Boolean),
    ),
  );
  return wheels.filter((_, index) => !unpacked[index]);
}

function roomFor(wheels: readonly Wheel[], from: string | undefined): number {
  const unpacked = wheels.flatMap(({ files }) => files).reduce((sum, { bytes }) => sum + bytes, 0);
  if (from !== undefined) return unpacked;
  return unpacked + Math.max(0, ...wheels.map(wheelBytesMax));
}

const stagingSuffix = ".part";

async function keptOf(pins: CudaPins, staging: string): Promise<string> {
  const kept = pins.wheels.length - (await wheelsToFetch(pins, staging)).length;
  return kept === 0 ? "" : ` ${kept} of ${pins.wheels.length} wheels are kept for the next run.`;
}
