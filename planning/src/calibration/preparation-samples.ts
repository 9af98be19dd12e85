import { decodingCost } from "@faceline/contracts/image/decoding-cost";
import { plainImageHeader } from "@faceline/contracts/image/header";
import { decodePicture } from "@faceline/inference/decode/decoder";
import { defaultPictureLimits } from "@faceline/inference/decode/picture";
import type { EnginePicture } from "@faceline/inference/engine/work";

/** Decodes pictures one after another, several times in turn, and returns how long each took by its cost. */
export async function samplePreparation(
  files: readonly Buffer[],
  rounds: number,
): Promise<PreparationSample[]> {
  const samples: PreparationSample[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const bytes of files) {
      const startedAt = performance.now();
      await decodePicture(bytes, defaultPictureLimits, shared);
      samples.push({ cost: costOf(bytes), ms: performance.now() - startedAt });
    }
  }
  return samples;
}

/** Decodes pictures for the engine. Throws an Error for one that is none. */
export function decodeAll(files: readonly Buffer[]): Promise<EnginePicture[]> {
  return Promise.all(
    files.map(async (bytes) => {
      const picture = await decodePicture(bytes, defaultPictureLimits, shared);
      if (picture.kind === "rejected") throw new Error(`a picture for the calibration is ${picture.code}`);
      const { pixels, width, height, originalWidth, originalHeight } = picture;
      return { pixels, width, height, originalWidth, originalHeight, options };
    }),
  );
}

/**
 * Returns the line through preparation times by least squares, and how many times as long as on it each took.
 * Where all costs are alike, time is taken to be proportional to cost.
 */
export function preparationLine(samples: readonly PreparationSample[]): PreparationLine {
  const mean = (of: (sample: PreparationSample) => number) =>
    samples.reduce((sum, each) => sum + of(each), 0) / samples.length;
  const [meanCost, meanMs] = [mean(({ cost }) => cost), mean(({ ms }) => ms)];
  const variance = mean(({ cost }) => (cost - meanCost) ** 2);
  const covariance = mean(({ cost, ms }) => (cost - meanCost) * (ms - meanMs));
  const slope = variance === 0 ? meanMs / meanCost : covariance / variance;
  // A negative constant part would make small pictures take no time.
  const betaMs = Math.max(0, Math.min(slope, meanMs / meanCost));
  const alphaMs = meanMs - betaMs * meanCost;
  return { alphaMs, betaMs, factors: samples.map(({ cost, ms }) => ms / (alphaMs + betaMs * cost)) };
}

function costOf(bytes: Buffer): number {
  const header = plainImageHeader(bytes);
  return header === undefined ? 1 : decodingCost(header, bytes.length);
}

/** The engine reads pixels on other threads. */
const shared = (length: number) => new Uint8Array(new SharedArrayBuffer(length));

const options = { align: true, enforceDetection: true, facesMax: 1, fullResolution: false };

type PreparationSample = { cost: number; ms: number };
type PreparationLine = { alphaMs: number; betaMs: number; factors: number[] };
