import { encodeEmbedding, type Face } from "@faceline/contracts/wire/face";
import type { Aligner, Alignment } from "../align/aligner.ts";
import type { Eyes } from "../align/templates.ts";
import type { DetectedFace, Detections, Detector } from "../detect/detector.ts";
import type { Detection } from "../detect/non-max-suppression.ts";
import type { Chip, Embedder } from "../embed/embedder.ts";
import { boxMap, composed } from "../geometry/affine.ts";
import { wholeBox } from "../geometry/box.ts";
import { sumUsage } from "../network/network.ts";
import { facialArea, largestFirst } from "./facial-area.ts";
import type { EnginePicture, PipelineFacts, TaskResult } from "./work.ts";

/**
 * The stages that the pictures of one lane go through.
 *
 *     pictures ──► detect ──► align ──► embed ──► results
 *
 * Each stage takes the pictures or faces of the whole batch. A picture without a face ends only its own task.
 * lanes.test.ts tests it with the real networks.
 */
export class Pipeline {
  readonly #parts: PipelineParts;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /**
   * One result for each picture, in their order, and measurements of this run. Throws where a network's
   * numbers are not finite: no reply can show them, and no distance may be computed from them.
   */
  async run(pictures: readonly EnginePicture[]): Promise<{ results: TaskResult[]; facts: PipelineFacts }> {
    const facts: PipelineFacts = { ...noFacts, networks: [] };
    const { detections, lowResolution } = await this.#detect(pictures, facts);
    const faces = await this.#align(pictures, detections, facts);
    const mistaken = lowResolution.filter((i) => faces[i]!.length === 0);
    await this.#retry(pictures, mistaken, faces, facts, (retried) => this.#detectFull(retried, facts));
    const unseen = [...pictures.keys()].filter((i) => mayBeTight(pictures[i]!) && faces[i]!.length === 0);
    await this.#retry(pictures, unseen, faces, facts, (retried) => this.#detectLow(retried, facts));
    for (const [index, picture] of pictures.entries()) {
      const takeWhole = !picture.options.enforceDetection && faces[index]!.length === 0;
      if (takeWhole) faces[index]!.push(this.#unaligned(picture, { ...wholeBox(picture), score: 0 }));
    }
    const startedAt = performance.now();
    const { embeddings, networkUsage } = await this.#parts.embedder.embed(
      faces.flat().map((face) => face.chip),
    );
    requireFinite(embeddings);
    facts.embedMs += performance.now() - startedAt;
    facts.faces += embeddings.length;
    facts.networks = sumUsage([...facts.networks, ...networkUsage]);
    return { results: resultsOf(pictures, faces, embeddings), facts };
  }

  #detect(pictures: readonly EnginePicture[], facts: PipelineFacts): Promise<Detections> {
    return this.#measured(this.#parts.detector.detect(pictures), facts);
  }

  /** Where a clear detection at low resolution turned out to be no face. */
  #detectFull(pictures: readonly EnginePicture[], facts: PipelineFacts): Promise<Detections> {
    const retried = pictures.map((picture) => ({
      ...picture,
      options: { ...picture.options, fullResolution: true },
    }));
    return this.#detect(retried, facts);
  }

  /** Where full resolution alone was searched and has shown no face. */
  #detectLow(pictures: readonly EnginePicture[], facts: PipelineFacts): Promise<Detections> {
    return this.#measured(this.#parts.detector.detectAtLowResolution(pictures), facts);
  }

  async #measured(detecting: Promise<Detections>, facts: PipelineFacts): Promise<Detections> {
    const startedAt = performance.now();
    const detected = await detecting;
    facts.detectMs += performance.now() - startedAt;
    facts.marginSearches += detected.marginSearches;
    facts.networks.push(...detected.networkUsage);
    return detected;
  }

  /** The faces of each picture that are to be embedded: largest first, at most `facesMax`. */
  async #align(
    pictures: readonly EnginePicture[],
    detections: readonly DetectedFace[][],
    facts: PipelineFacts,
  ): Promise<LocatedFace[][]> {
    const startedAt = performance.now();
    const faces: LocatedFace[][] = pictures.map(() => []);
    const remaining = detections.map((boxes, index) => largestFirst(boxes, pictures[index]!));
    for (;;) {
      // No more than are needed: most calls want the largest face of a crowd. A box that turns out to hold no
      // face makes room for the next one.
      const round = pictures.flatMap((picture, index) => {
        const missing = picture.options.facesMax - faces[index]!.length;
        return remaining[index]!.splice(0, missing).map((box) => ({ picture, index, box }));
      });
      if (round.length === 0) break;
      for (const { index, face } of await this.#locate(round, facts)) faces[index]!.push(face);
    }
    facts.alignMs += performance.now() - startedAt;
    return faces;
  }

  /** Searches the pictures at `indices` once more, and replaces their faces. */
  async #retry(
    pictures: readonly EnginePicture[],
    indices: readonly number[],
    faces: LocatedFace[][],
    facts: PipelineFacts,
    detect: (retried: readonly EnginePicture[]) => Promise<Detections>,
  ): Promise<void> {
    if (indices.length === 0) return;
    const retried = indices.map((i) => pictures[i]!);
    const { detections } = await detect(retried);
    const located = await this.#align(retried, detections, facts);
    for (const [position, own] of located.entries()) faces[indices[position]!] = own;
  }

  /** Aligns the candidates that want it, and drops those whose landmarks are no face's. */
  async #locate(
    round: readonly Candidate[],
    facts: PipelineFacts,
  ): Promise<{ index: number; face: LocatedFace }[]> {
    const { aligner, embedder } = this.#parts;
    const toAlign = round.filter(({ picture }) => picture.options.align);
    const { alignments, networkUsage } = await aligner.align(
      toAlign.map(({ picture, box }) => ({ picture, box: box.landmarkBox })),
    );
    facts.networks.push(...networkUsage);
    const alignmentOf = new Map<Candidate, Alignment>(
      alignments.map((alignment, i) => [toAlign[i]!, alignment]),
    );

    return round.flatMap((candidate) => {
      const { picture, index, box } = candidate;
      const alignment = alignmentOf.get(candidate);
      if (alignment === undefined) return [{ index, face: this.#unaligned(picture, box) }];
      if (alignment.quarterTurnsTried) facts.quarterTurnsTried++;
      if (!alignment.isFace) {
        facts.implausible++;
        return [];
      }
      const chipToPicture = composed(embedder.chipToTemplate, alignment.chipToPicture);
      const chip = { picture, chipToPicture, within: wholeBox(picture) };
      return [{ index, face: { box, chip, eyes: alignment.eyes } }];
    });
  }

  /** A face without landmarks: its box is stretched to the chip. */
  #unaligned(picture: EnginePicture, box: Detection): LocatedFace {
    const chipToPicture = boxMap(box, this.#parts.embedder.px);
    return { box, chip: { picture, chipToPicture, within: box }, eyes: null };
  }
}

/** Whether the lower resolutions were left out, which see faces that fill a picture. */
const mayBeTight = ({ options }: EnginePicture): boolean => options.fullResolution && options.align;

/** Zeroes all embeddings before it throws. */
function requireFinite(embeddings: readonly Float32Array[]): void {
  if (embeddings.every((embedding) => embedding.every(Number.isFinite))) return;
  for (const embedding of embeddings) embedding.fill(0);
  throw new Error("the model gave an embedding that is not finite");
}

/** Encodes and zeroes the embeddings, which are those of all faces in the order of the pictures. */
function resultsOf(
  pictures: readonly EnginePicture[],
  faces: readonly LocatedFace[][],
  embeddings: readonly Float32Array[],
): TaskResult[] {
  let next = 0;
  return pictures.map((picture, index) => {
    const encoded = faces[index]!.map(({ box, eyes }): Face => {
      const numbers = embeddings[next++]!;
      const embedding = encodeEmbedding(numbers);
      numbers.fill(0);
      const confidence = Math.min(1, Math.max(0, box.score));
      return { area: facialArea(picture, box, eyes), confidence, embedding };
    });
    return encoded.length === 0
      ? { kind: "rejected", code: "no_face_detected" }
      : { kind: "faces", faces: encoded };
  });
}

export const noFacts: PipelineFacts = {
  detectMs: 0,
  alignMs: 0,
  embedMs: 0,
  marginSearches: 0,
  quarterTurnsTried: 0,
  implausible: 0,
  faces: 0,
  networks: [],
};

type PipelineParts = {
  detector: Detector;
  aligner: Aligner;
  embedder: Embedder;
};

type Candidate = { picture: EnginePicture; index: number; box: DetectedFace };

/** Eyes are null where there are no landmarks. */
type LocatedFace = { box: Detection; chip: Chip; eyes: Eyes | null };
