import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { decodeEmbedding } from "@faceline/contracts/wire/face";
import type { LaneId } from "@faceline/contracts/wire/ids";
import { decodeImage } from "@faceline/inference/decode/decoder";
import type { Image, ImageLimits } from "@faceline/inference/decode/image";
import type { Engine } from "@faceline/inference/engine/engine";
import type { LabelledPairs } from "./pairs/labelled-pairs.ts";

/**
 * Runs every image through the engine, in each lane, as /verify does for a call that compares the largest
 * faces. One image is decoded while another runs, so memory holds two of them, and all embeddings.
 */
export async function embedImages(
  images: readonly { name: string }[],
  { engine, lanes, folder, align, limits, progress }: EmbedOptions,
): Promise<LaneFaces[]> {
  const results = lanes.map((lane): LaneFaces => ({ lane, embeddings: [], failures: [], severalFaces: 0 }));
  const load = (index: number): Promise<Loaded> | undefined =>
    index < images.length ? loadImage(resolve(folder, images[index]!.name), limits) : undefined;
  let next = load(0);
  for (let index = 0; index < images.length; index++) {
    const image = await next!;
    next = load(index + 1);
    // A rejection is reported when its turn comes.
    next?.catch(() => {});
    for (const result of results) await embed(engine, image, { result, index, align });
    if (image.kind === "image") image.pixels.fill(0);
    progress(index + 1, images.length);
  }
  return results;
}

/** Returns a sentence for each image that is not there. */
export async function missingImages({ images }: LabelledPairs, folder: string): Promise<string[]> {
  const missing: string[] = [];
  for (const { name, line } of images) {
    const isFile = await stat(resolve(folder, name)).then(
      (found) => found.isFile(),
      () => false,
    );
    if (!isFile) missing.push(`line ${line}: there is no image ${name}`);
  }
  return missing;
}

/** Counts images without an embedding by the reason, the most frequent first. */
export function failureCounts({ failures }: LaneFaces): { code: string; count: number }[] {
  const groups = [...Map.groupBy(failures, ({ code }) => code)];
  return groups.map(([code, all]) => ({ code, count: all.length })).toSorted((a, b) => b.count - a.count);
}

async function embed(engine: Engine, image: Loaded, { result, index, align }: EmbedTarget): Promise<void> {
  if (image.kind === "rejected") {
    result.failures.push({ image: index, code: image.code });
    return;
  }
  // The second face is only counted.
  const options = { align, enforceDetection: true, facesMax: 2, fullResolution: false };
  const { results } = await engine.run({ lane: result.lane, images: [{ ...image, options }] });
  const outcome = results[0]!;
  assert(outcome.kind !== "too_coarse", "only a draft can be too coarse");
  if (outcome.kind === "rejected") {
    result.failures.push({ image: index, code: outcome.code });
    return;
  }
  if (outcome.faces.length > 1) result.severalFaces++;
  result.embeddings[index] = decodeEmbedding(outcome.faces[0]!.embedding);
}

/** The pixels are in shared memory: the engine's thread does not copy them. */
async function loadImage(path: string, limits: ImageLimits): Promise<Loaded> {
  const { size } = await stat(path);
  if (size > imageBytesMax) return { kind: "rejected", code: "image_too_large" };
  const bytes = await readFile(path);
  return decodeImage(bytes, limits, (length) => new Uint8Array(new SharedArrayBuffer(length)));
}

/** Larger files are not read. The API's own limit, IMAGE_BYTES_MAX, is 10 MiB by default. */
const imageBytesMax = 64 * 2 ** 20;

type Loaded = Image | { kind: "rejected"; code: string };
type EmbedTarget = { result: LaneFaces; index: number; align: boolean };

type EmbedOptions = {
  engine: Engine;
  lanes: readonly LaneId[];
  /** Image names are relative to it. */
  folder: string;
  align: boolean;
  limits: ImageLimits;
  progress: (done: number, of: number) => void;
};

/** Results of the images in one lane, by their indices. */
export type LaneFaces = {
  lane: LaneId;
  /** Holes: images without a face. */
  embeddings: (Float32Array | undefined)[];
  failures: { image: number; code: string }[];
  /** Images with a second face. */
  severalFaces: number;
};
