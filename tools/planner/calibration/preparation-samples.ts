import { describeImage } from "@faceline/images/describe";
import type { Profile } from "../profile/profile.ts";
import { decodeImage } from "@faceline/inference/decode/decoder";
import { defaultImageLimits } from "@faceline/inference/decode/image";
import type { EngineImage } from "@faceline/inference/engine/work";
import { quantilesOf } from "../profile/quantiles.ts";
import type { ImageSize } from "../trace/trace.ts";
import { sizedJpeg } from "./sized-jpeg.ts";

/**
 * Decodes images one after another, several times in turn, and returns how long each took. Beside the given
 * ones these are some of other sizes, made from them.
 */
export async function samplePreparation(
  files: readonly Buffer[],
  largest?: ImageSize,
): Promise<PreparationSample[]> {
  const resized = [...otherSizes, ...(largest === undefined ? [] : [largest])].map((size, index) =>
    sizedJpeg(files[index % files.length]!, size),
  );
  const all = [...files, ...(await Promise.all(resized))];
  const samples: PreparationSample[] = [];
  for (let round = 0; round < preparationRounds; round++) {
    for (const bytes of all) {
      const startedAt = performance.now();
      await decodeImage(bytes, defaultImageLimits, shared);
      samples.push({ size: sizeOf(bytes), ms: performance.now() - startedAt });
    }
  }
  return samples;
}

/** Decodes images for the engine. Throws an Error for one that is none. */
export function decodeAll(files: readonly Buffer[]): Promise<EngineImage[]> {
  return Promise.all(
    files.map(async (bytes) => {
      const image = await decodeImage(bytes, defaultImageLimits, shared);
      if (image.kind === "rejected") throw new Error(`an image for the calibration is ${image.code}`);
      const { pixels, width, height, originalWidth, originalHeight } = image;
      return { pixels, width, height, originalWidth, originalHeight, options };
    }),
  );
}

/**
 * Returns preparation times by images, pixels and bytes, and how many times as long as that each took.
 * Their proportions are those of a progressive JPEG in images/src/decoding-cost.ts.
 */
export function preparationProfile(samples: readonly PreparationSample[]): Profile["preparation"] {
  const ratios = samples.map(({ size: { pixels, bytes }, ms }) => ms / usualMs(pixels, bytes));
  const [, scale] = quantilesOf(ratios, 2) as [number, number, number];
  return {
    imageMs: scale * usual.imageMs,
    megapixelMs: scale * usual.megapixelMs,
    megabyteMs: scale * usual.megabyteMs,
    factors: quantilesOf(ratios.map((ratio) => ratio / scale)),
    measuredSizes: {
      bytes: rangeOf(samples.map(({ size }) => size.bytes)),
      pixels: rangeOf(samples.map(({ size }) => size.pixels)),
    },
  };
}

const usual = { imageMs: 1, megapixelMs: 18, megabyteMs: 40 };

const usualMs = (pixels: number, bytes: number): number =>
  usual.imageMs + (usual.megapixelMs * pixels + usual.megabyteMs * bytes) / 1_000_000;

const rangeOf = (values: readonly number[]): [number, number] => [Math.min(...values), Math.max(...values)];

/** An engine that is modelled decodes nothing. */
export const noPreparation: Profile["preparation"] = {
  imageMs: 0,
  megapixelMs: 0,
  megabyteMs: 0,
  factors: [1, 1],
  measuredSizes: null,
};

function sizeOf(bytes: Buffer): ImageSize {
  const image = describeImage(bytes);
  const pixels = image.kind === "image" ? image.header.width * image.header.height : 0;
  return { bytes: bytes.length, pixels };
}

/** The engine reads pixels on other threads. */
const shared = (length: number) => new Uint8Array(new SharedArrayBuffer(length));

const options = { align: true, enforceDetection: true, facesMax: 1, fullResolution: false };

const otherSizes: ImageSize[] = [
  { bytes: 8_000, pixels: 60_000 },
  { bytes: 40_000, pixels: 60_000 },
  { bytes: 40_000, pixels: 1_000_000 },
  { bytes: 400_000, pixels: 1_000_000 },
  { bytes: 400_000, pixels: 4_000_000 },
  { bytes: 2_000_000, pixels: 4_000_000 },
];

const preparationRounds = 10;

type PreparationSample = { size: ImageSize; ms: number };
