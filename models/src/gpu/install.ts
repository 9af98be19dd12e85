import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { requireRoom } from "../disk-room.ts";
import { sha256OfFile } from "../file-sha256.ts";
import { megabytes } from "../megabytes.ts";
import { cudaFolder } from "./cuda-folder.ts";
import type { CudaPins, Wheel } from "./cuda-pins.ts";
import { fetchWheel, type WheelLimits, wheelBytesMax, wheelLimits } from "./pip-wheel.ts";
import { isUnpacked, unpackWheel } from "./wheel-files.ts";

/**
 * Fetches the wheels and unpacks their libraries beside the models. The folder of the libraries is there only
 * when it is complete; wheels that are unpacked already are not fetched again by the next call. Throws one
 * sentence.
 */
export async function installCuda(
  modelsDir: string,
  pins: CudaPins,
  { print, progress, stop, from, limits = wheelLimits }: InstallOptions,
): Promise<void> {
  const target = cudaFolder(modelsDir, pins);
  if (existsSync(target)) return print(`${target} is here already; --verify checks it`);
  const staging = `${target}${stagingSuffix}`;
  await mkdir(staging, { recursive: true, mode: 0o700 });
  await removeStale(join(modelsDir, "gpu"), limits);
  try {
    const missing = await wheelsToFetch(pins, staging);
    await requireRoom(modelsDir, roomFor(missing, { from, limits }));
    for (const wheel of missing) {
      stop.throwIfAborted();
      const temporary = await mkdtemp(join(modelsDir, "gpu", temporaryPrefix));
      try {
        print(`${from === undefined ? "fetching" : "taking"} ${wheel.file}, ${megabytes(wheel.bytes)}`);
        const fetching = { progress: (bytes: number) => progress(bytes, wheel.bytes), stop, limits };
        const path =
          from === undefined ? await fetchWheel(temporary, wheel, fetching) : mirroredWheel(from, wheel);
        await unpackWheel(path, wheel, staging);
      } finally {
        // pip may still be writing when it was killed a moment ago.
        await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
      }
    }
    stop.throwIfAborted();
    await rename(staging, target);
  } catch (cause) {
    throw new Error(
      `${sentenceOf(cause as NodeJS.ErrnoException, modelsDir)}${await keptOf(pins, staging)}`,
      {
        cause,
      },
    );
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
    else if ((await sha256OfFile(path)) !== sha256)
      faults.push(`${path} is another file than the pinned one`);
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

function roomFor(
  wheels: readonly Wheel[],
  { from, limits }: Pick<InstallOptions, "from" | "limits">,
): number {
  const unpacked = wheels.flatMap(({ files }) => files).reduce((sum, { bytes }) => sum + bytes, 0);
  if (from !== undefined) return unpacked;
  return unpacked + Math.max(0, ...wheels.map((wheel) => wheelBytesMax(wheel, limits ?? wheelLimits)));
}

function mirroredWheel(folder: string, { file, name, version }: Wheel): string {
  const path = join(folder, file);
  if (existsSync(path)) return path;
  throw new Error(`${path} is not there: the package index has it as ${name} ${version}.`);
}

/** Folders of fetches that were killed. */
async function removeStale(parent: string, { fetchMaxMs }: WheelLimits): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(temporaryPrefix)) continue;
    const path = join(parent, name);
    const since = (await stat(path).catch(() => undefined))?.mtimeMs;
    if (since !== undefined && Date.now() - since > 2 * fetchMaxMs) await rm(path, { recursive: true });
  }
}

const temporaryPrefix = ".wheel-";
const stagingSuffix = ".part";

function sentenceOf({ code, message }: NodeJS.ErrnoException, modelsDir: string): string {
  return `${code === "ENOSPC" ? `The disk of ${modelsDir} is full.` : message} Nothing was installed.`;
}

async function keptOf(pins: CudaPins, staging: string): Promise<string> {
  const kept = pins.wheels.length - (await wheelsToFetch(pins, staging)).length;
  return kept === 0 ? "" : ` ${kept} of ${pins.wheels.length} wheels are kept for the next call.`;
}

type InstallOptions = {
  print: (line: string) => void;
  /** Is called with the bytes of a wheel that have come so far, and all of them. */
  progress: (bytes: number, of: number) => unknown;
  stop: AbortSignal;
  /** A folder that has the wheels: then nothing is fetched from the network. */
  from?: string | undefined;
  limits?: WheelLimits;
};
