import { encodeEmbedding, type Face } from "@faceline/contracts/wire/face";
import type { Aligner, Alignment } from "../align/aligner.ts";
import type { Eyes } from "../align/templates.ts";
import type { DetectedFace, Detections, Detector } from "../detect/detector.ts";
import type { Detection } from "../detect/non-max-suppression.ts";
import type { Chip, Embedder } from "../embed/embedder.ts";
import { joinEmbeddings } from "../embed/join-embeddings.ts";
import { boxMap, composed, stepOf } from "../geometry/affine.ts";
import { wholeBox } from "../geometry/box.ts";
import { sumUsage } from "../network/network.ts";
import type { QualityMeter } from "../quality/quality-meter.ts";
import { facialArea, largestFirst } from "./facial-area.ts";
import type { EnginePicture, PipelineUsage, TaskResult } from "./work.ts";

/**
 * The stages that the pictures of one lane go through.
 *
 *     pictures ──► detect ──► align ──► embed ──► results
 *
 * Each stage takes the pictures or faces of the whole batch. A picture without a face ends only its own task.
 */
export class Pipeline {
  readonly #parts: PipelineParts;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /**
   * Returns one result for each picture, in their order, and the usage of this run. Throws where a network's
   * numbers are not finite: no reply can show them, and no distance may be computed from them.
   */
  run(pictures: readonly EnginePicture[]): Promise<{ results: TaskResult[]; usage: PipelineUsage }> {
    return new PipelineRun(this.#parts, pictures).run();
  }
}

class PipelineRun {
  readonly #parts: PipelineParts;
  readonly #pictures: readonly EnginePicture[];
  readonly #usage: PipelineUsage = { ...noUsage, networks: [] };

  constructor(parts: PipelineParts, pictures: readonly EnginePicture[]) {
    this.#parts = parts;
    this.#pictures = pictures;
  }

  async run(): Promise<{ results: TaskResult[]; usage: PipelineUsage }> {
    const [pictures, usage] = [this.#pictures, this.#usage];
    const { detections, lowResolution } = await this.#measure(this.#parts.detector.detect(pictures));
    const faces = await this.#align(pictures, detections);
    const tooCoarse = new Set(pictures.keys().filter((i) => isTooCoarse(pictures[i]!, faces[i]!)));
    for (const index of tooCoarse) faces[index] = [];
    const noFace = (index: number) => faces[index]!.length === 0 && !tooCoarse.has(index);
    await this.#retry(faces, lowResolution.filter(noFace), (retried) =>
      this.#parts.detector.detect(retried.map(withFullResolution)),
    );
    const undetected = [...pictures.keys()].filter((i) => mayBeTight(pictures[i]!) && noFace(i));
    await this.#retry(faces, undetected, (retried) => this.#parts.detector.detectAtLowResolution(retried));
    for (const [index, picture] of pictures.entries()) {
      const takeWhole = !picture.options.enforceDetection && noFace(index);
      if (takeWhole) faces[index]!.push(this.#unaligned(picture, { ...wholeBox(picture), score: 0 }));
    }
    const startedAt = performance.now();
    const embeddings = await this.#embed(faces.flat());
    usage.embedMs += performance.now() - startedAt;
    usage.faces += embeddings.length;
    usage.networks = sumUsage(usage.networks);
    const results = resultsOf(pictures, faces, embeddings);
    for (const index of tooCoarse) results[index] = { kind: "too_coarse" };
    return { results, usage };
  }

  async #embed(faces: readonly LocatedFace[]): Promise<readonly Float32Array[]> {
    const parts: Float32Array[][] = [];
    for (const [i, embedder] of this.#parts.embedders.entries()) {
      const { embeddings, networkUsage } = await embedder.embed(faces.map(({ chips }) => chips[i]!));
      this.#usage.networks.push(...networkUsage);
      parts.push(embeddings);
    }
    requireFinite(parts.flat());
    const embeddings = joinEmbeddings(parts, this.#parts.weights);
    // A pair divides by lengths.
    requireFinite(embeddings);
    return embeddings;
  }

  async #measure(detecting: Promise<Detections>): Promise<Detections> {
    const startedAt = performance.now();
    const detected = await detecting;
    this.#usage.detectMs += performance.now() - startedAt;
    this.#usage.marginSearches += detected.marginSearches;
    this.#usage.networks.push(...detected.networkUsage);
    return detected;
  }

  /** Returns the faces of each picture that are to be embedded: largest first, at most `facesMax`. */
  async #align(
    pictures: readonly EnginePicture[],
    detections: readonly DetectedFace[][],
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
      for (const { index, face } of await this.#locate(round)) faces[index]!.push(face);
    }
    this.#usage.alignMs += performance.now() - startedAt;
    return faces;
  }

  /** Searches the pictures at `indices` once more, and replaces their faces. */
  async #retry(
    faces: LocatedFace[][],
    indices: readonly number[],
    detect: (retried: readonly EnginePicture[]) => Promise<Detections>,
  ): Promise<void> {
    if (indices.length === 0) return;
    const retried = indices.map((i) => this.#pictures[i]!);
    const { detections } = await this.#measure(detect(retried));
    const located = await this.#align(retried, detections);
    for (const [position, own] of located.entries()) faces[indices[position]!] = own;
  }

  /** Aligns the candidates that want it, and drops those whose landmarks are no face's. */
  async #locate(round: readonly Candidate[]): Promise<{ index: number; face: LocatedFace }[]> {
    const { aligner, embedders } = this.#parts;
    const toAlign = round.filter(({ picture }) => picture.options.align);
    const { alignments, networkUsage } = await aligner.align(
      toAlign.map(({ picture, box }) => ({ picture, box: box.landmarkBox })),
    );
    this.#usage.networks.push(...networkUsage);
    const alignmentOf = new Map<Candidate, Alignment>(
      alignments.map((alignment, i) => [toAlign[i]!, alignment]),
    );

    return round.flatMap((candidate) => {
      const { picture, index, box } = candidate;
      const alignment = alignmentOf.get(candidate);
      if (alignment === undefined) return [{ index, face: this.#unaligned(picture, box) }];
      if (alignment.quarterTurnsTried) this.#usage.quarterTurnsTried++;
      if (!alignment.isFace) {
        this.#usage.implausible++;
        return [];
      }
      const chips = embedders.map(({ chipToTemplate }) => ({
        picture,
        chipToPicture: composed(chipToTemplate, alignment.chipToPicture),
        within: wholeBox(picture),
      }));
      const quality = this.#parts.quality?.measure(picture, alignment);
      return [{ index, face: { box, chips, eyes: alignment.eyes, quality } }];
    });
  }

  /** A face without landmarks: its box is stretched to the chip. */
  #unaligned(picture: EnginePicture, box: Detection): LocatedFace {
    const chips = this.#parts.embedders.map(({ px }) => ({
      picture,
      chipToPicture: boxMap(box, px),
      within: box,
    }));
    return { box, chips, eyes: null, quality: undefined };
  }
}

/**
 * Whether the draft of a picture shows no face, or one that the full picture would show in more detail: each
 * pixel of the chip must cover at least one of the draft and two of the original. From there on, a chip of
 * the full picture is shrunk to half before it is drawn.
 */
function isTooCoarse(
  { isDraft, width, originalWidth }: EnginePicture,
  faces: readonly LocatedFace[],
): boolean {
  if (isDraft !== true) return false;
  const step = Math.min(...faces.flatMap(({ chips }) => chips.map((chip) => stepOf(chip.chipToPicture))));
  return faces.length === 0 || step < 1 || (step * originalWidth) / width < 2;
}

const withFullResolution = (picture: EnginePicture): EnginePicture => ({
  ...picture,
  options: { ...picture.options, fullResolution: true },
});

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
    const encoded = faces[index]!.map(({ box, eyes, quality }): Face => {
      const numbers = embeddings[next++]!;
      const embedding = encodeEmbedding(numbers);
      numbers.fill(0);
      const confidence = Math.min(1, Math.max(0, box.score));
      return { area: facialArea(picture, box, eyes), confidence, embedding, quality };
    });
    return encoded.length === 0
      ? { kind: "rejected", code: "no_face_detected" }
      : { kind: "faces", faces: encoded };
  });
}

export const noUsage: PipelineUsage = {
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
  /** One, or those of a pair. */
  embedders: readonly Embedder[];
  /** One for each embedder; their sum is 1. */
  weights: readonly number[];
  /** Undefined: nobody reads the numbers. */
  quality?: QualityMeter;
};

type Candidate = { picture: EnginePicture; index: number; box: DetectedFace };

/** `chips`: one for each embedder. Eyes are null, and quality undefined, where there are no landmarks. */
type LocatedFace = { box: Detection; chips: readonly Chip[]; eyes: Eyes | null; quality: Face["quality"] };
