import { decodeEmbedding, type Face } from "@faceline/contracts/wire/face";
import type { LaneId } from "@faceline/contracts/wire/ids";
import { type Lanes, openLanes } from "@faceline/inference/engine/lanes";
import type { Pixels } from "@faceline/inference/geometry/pixels";
import { PrecisionSetting } from "@faceline/inference/network/precision";
import { distances } from "@faceline/inference/testing/distances";
import { oneAtATime } from "@faceline/inference/testing/lane-settings";
import { labelledPhotograph } from "@faceline/inference/testing/photographs";
import { readCatalogue } from "@faceline/models/catalogue";
import sharp from "sharp";
import type { KnownPhotograph } from "./detection-scenes.ts";
import { usual } from "./lanes.ts";
import { pixelsOf, type Scene } from "./scenes.ts";

/**
 * The labelled photographs, at most 1,000 pixels wide and high, with the face that `ssd` finds
 * in float: so they are the same on every CPU.
 */
export async function openReferences(modelsDir: string, names: readonly string[]): Promise<Reference[]> {
  const lane = usual.lane;
  const precision = PrecisionSetting.parse("float");
  await using lanes = await openLanes({ ...oneAtATime, modelsDir, lanes: [lane], precision });
  const references: Reference[] = [];
  for (const name of names) {
    const limits = { width: 1_000, height: 1_000, fit: "inside", withoutEnlargement: true } as const;
    const image = await pixelsOf(sharp(labelledPhotograph(name)).rotate().resize(limits).removeAlpha());
    const face = await largestFace(lanes, lane, image);
    if (face === undefined) throw new Error(`no face is found in ${name} as it is`);
    references.push({ image, area: face.area, embedding: decodeEmbedding(face.embedding) });
  }
  return references;
}

/** What a call that compares gets for a scene of a photograph, by the usual recogniser. */
export async function outcomeOf(
  lanes: Lanes,
  lane: LaneId,
  { scene, known }: { scene: Scene; known: Reference },
): Promise<Outcome> {
  const face = await largestFace(lanes, lane, scene.image);
  if (face === undefined) return "refused";
  const { x, y, w, h } = face.area;
  const isThere = scene.faces.some((each) => x < each.x && each.x < x + w && y < each.y && each.y < y + h);
  const distance = distances.cosine(known.embedding, decodeEmbedding(face.embedding));
  return isThere && distance <= (await threshold) ? "same" : "other";
}

const threshold = readCatalogue().then((all) => all.find("embedding", usual.model)!.thresholds.cosine);

/** The face that a call that wants one gets, with low resolution first; undefined if there is none. */
export async function largestFace(lanes: Lanes, lane: LaneId, image: Pixels): Promise<Face | undefined> {
  const { width, height } = image;
  const options = { align: true, enforceDetection: true, facesMax: 1, fullResolution: false };
  const whole = { ...image, originalWidth: width, originalHeight: height, options };
  const { results } = await lanes.run({ lane, images: [whole] });
  const [result] = results;
  return result?.kind === "faces" ? result.faces[0] : undefined;
}

/**
 * `same`: the face in its place, with the embedding of the unaltered photograph. `other`: a box that is not
 * the face, or another embedding. `refused`: no face.
 */
export type Outcome = "same" | "other" | "refused";

/** A photograph, and the embedding that it has as it is. */
export type Reference = KnownPhotograph & { embedding: Float32Array };
