import { decodeEmbedding } from "@faceline/contracts/wire/face";
import type { Rectangle } from "../align/affine.ts";
import type { Pixels } from "../detect/letterbox.ts";
import type { Pipeline } from "../engine/pipeline.ts";
import type { Comparison } from "./tally.ts";

/** The largest face, as in a call that compares. Undefined: there is none. */
export async function lookAt(picture: Pixels, pipeline: Pipeline): Promise<Seen | undefined> {
  const { width, height } = picture;
  const options = { align: true, enforceDetection: true, facesMax: 1, fullResolution: false };
  const [result] = await pipeline.run([
    { ...picture, originalWidth: width, originalHeight: height, options },
  ]);
  if (result?.kind !== "faces") return undefined;
  const { area, embedding } = result.faces[0]!;
  const box = { left: area.x, top: area.y, right: area.x + area.w, bottom: area.y + area.h };
  return { embedding: decodeEmbedding(embedding), box };
}

/** Both ways round: the one's picture of these looks against the other's of those. */
export function comparisonsOf(pairs: readonly LabelledPair[], these: Looks, those: Looks): Comparison[] {
  return pairs.flatMap(({ left, right, same }) =>
    [
      [left, right],
      [right, left],
    ].map(([a = "", b = ""]) => ({
      one: these.get(a)?.embedding,
      other: those.get(b)?.embedding,
      samePerson: same,
    })),
  );
}

export type Seen = { embedding: Float32Array; box: Rectangle };
/** By the names of the pictures; one in which no face was found has none. */
export type Looks = ReadonlyMap<string, Seen>;
export type LabelledPair = { left: string; right: string; same: boolean };
