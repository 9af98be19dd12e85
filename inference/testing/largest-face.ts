import { decodeEmbedding } from "@faceline/contracts/wire/face";
import type { Pipeline } from "../src/engine/pipeline.ts";
import type { Box } from "../src/geometry/box.ts";
import type { Pixels } from "../src/geometry/pixels.ts";

/** The largest face of an image, as a call that compares gets it; undefined where there is none. */
export async function largestFace(
  image: Pixels,
  pipeline: Pipeline,
): Promise<{ embedding: Float32Array; box: Box } | undefined> {
  const { width, height } = image;
  const options = { align: true, enforceDetection: true, facesMax: 1, fullResolution: false };
  const { results } = await pipeline.run([
    { ...image, originalWidth: width, originalHeight: height, options },
  ]);
  const [result] = results;
  if (result?.kind !== "faces") return undefined;
  const { area, embedding } = result.faces[0]!;
  const box = { left: area.x, top: area.y, right: area.x + area.w, bottom: area.y + area.h };
  return { embedding: decodeEmbedding(embedding), box };
}
