import { encodeEmbedding, type Face } from "@faceline/contracts/wire/face";
import type { Aligner, Alignment } from "../align/aligner.ts";
import type { Eyes } from "../align/templates.ts";
import type { DetectedFace, Detections, Detector } from "../detect/detector.ts";
import type { Detection } from "../detect/non-max-suppression.ts";
import type { Chip, Embedder } from "../embed/embedder.ts";
import { boxMap, composed, stepOf } from "../geometry/affine.ts";
import { isSameFace, wholeBox } from "../geometry/box.ts";
import { sumUsage } from "../network/network.ts";
import type { QualityMeter } from "../quality/quality-meter.ts";
import { facialArea, largestFirst } from "./facial-area.ts";
import type { EngineImage, PipelineUsage, TaskResult } from "./work.ts";

/**
 * The stages that the images of one lane go through.
 *
 *     images ──► detect ──► align ──► embed ──► results
 *
 * Each stage takes the images or faces of the whole batch. An image without a face ends only its own task.
 */
export class Pipeline {
  readonly #parts: PipelineParts;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /**
   * Returns one result for each image, in their order, and the usage of this run. Throws if a network's
   * numbers are not finite: no response can show them, and no distance may be computed from them.
   */
  run(images: readonly EngineImage[]): Promise<{ results: TaskResult[]; usage: PipelineUsage }> {
    return new PipelineRun(this.#parts, images).run();
  }
}

class PipelineRun {
  readonly #parts: PipelineParts;
  readonly #images: readonly EngineImage[];
  readonly #usage: PipelineUsage = { ...noUsage, networks: [] };
  /** What the first detector last found in an image, even if the landmarks refused it. */
  readonly #boxes = new Map<EngineImage, readonly DetectedFace[]>();

  constructor(parts: PipelineParts, images: readonly EngineImage[]) {
    this.#parts = parts;
    this.#images = images;
  }

  async run(): Promise<{ results: TaskResult[]; usage: PipelineUsage }> {
    const [images, usage] = [this.#images, this.#usage];
    const { detector, secondDetector } = this.#parts;
    // A second detector finds the small faces, so the first need not search for them.
    const searched = secondDetector === undefined ? images : images.map(withResolution(false));
    const { detections, lowResolution } = await this.#measure(detector.detect(searched));
    const faces = await this.#align(images, detections);
    const tooCoarse = new Set(images.keys().filter((i) => isTooCoarse(images[i]!, faces[i]!)));
    for (const index of tooCoarse) faces[index] = [];
    const noFace = (index: number) => faces[index]!.length === 0 && !tooCoarse.has(index);
    await this.#retry(faces, lowResolution.filter(noFace), (retried) =>
      detector.detect(retried.map(withResolution(true))),
    );
    if (secondDetector === undefined) {
      const undetected = [...images.keys()].filter((i) => mayBeTight(images[i]!) && noFace(i));
      await this.#retry(faces, undetected, (retried) => detector.detectAtLowResolution(retried));
    } else {
      // Without alignment, nothing would tell its boxes from faces.
      const indices = [...images.entries()].flatMap(([i, image]) => {
        const { align, fullResolution } = image.options;
        return align && !tooCoarse.has(i) && (fullResolution || !this.#boxes.has(image)) ? [i] : [];
      });
      await this.#addFaces(faces, indices, secondDetector);
    }
    for (const [index, image] of images.entries()) {
      const takeWhole = !image.options.enforceDetection && noFace(index);
      if (takeWhole)
        faces[index]!.push(this.#unaligned(image, { ...wholeBox(image), score: 0, detector: null }));
    }
    const startedAt = performance.now();
    const embeddings = await this.#embed(faces.flat());
    usage.embedMs += performance.now() - startedAt;
    usage.faces += embeddings.length;
    usage.networks = sumUsage(usage.networks);
    const results = resultsOf(images, faces, embeddings);
    for (const index of tooCoarse) results[index] = { kind: "too_coarse" };
    return { results, usage };
  }

  async #embed(faces: readonly LocatedFace[]): Promise<readonly Float32Array[]> {
    const { embeddings, networkUsage } = await this.#parts.embedder.embed(faces.map(({ chip }) => chip));
    this.#usage.networks.push(...networkUsage);
    requireFinite(embeddings);
    return embeddings;
  }

  async #measure(detecting: Promise<Detections>): Promise<Detections> {
    const startedAt = performance.now();
    const detected = await detecting;
    this.#usage.detectMs += performance.now() - startedAt;
    this.#usage.networks.push(...detected.networkUsage);
    return detected;
  }

  /** Returns the faces of each image that are to be embedded: largest first, at most `facesMax`. */
  async #align(
    images: readonly EngineImage[],
    detections: readonly DetectedFace[][],
  ): Promise<LocatedFace[][]> {
    const startedAt = performance.now();
    const faces: LocatedFace[][] = images.map(() => []);
    for (const [i, image] of images.entries())
      if (detections[i]!.length > 0) this.#boxes.set(image, detections[i]!);
    const remaining = detections.map((boxes, index) => largestFirst(boxes, images[index]!));
    for (;;) {
      // No more than needed: most requests want the largest face of a crowd. A box that turns out to hold no
      // face makes room for the next one.
      const round = images.flatMap((image, index) => {
        const missing = image.options.facesMax - faces[index]!.length;
        return remaining[index]!.splice(0, missing).map((box) => ({ image, index, box }));
      });
      if (round.length === 0) break;
      for (const { index, face } of await this.#locate(round)) faces[index]!.push(face);
    }
    this.#usage.alignMs += performance.now() - startedAt;
    return faces;
  }

  /** Searches the images at `indices` once more, and replaces their faces. */
  async #retry(
    faces: LocatedFace[][],
    indices: readonly number[],
    detect: (retried: readonly EngineImage[]) => Promise<Detections>,
  ): Promise<void> {
    if (indices.length === 0) return;
    const retried = indices.map((i) => this.#images[i]!);
    const { detections } = await this.#measure(detect(retried));
    const located = await this.#align(retried, detections);
    for (const [position, own] of located.entries()) faces[indices[position]!] = own;
  }

  /** Adds the faces of the images at `indices` that another detector finds where the first saw none. */
  async #addFaces(faces: LocatedFace[][], indices: readonly number[], detector: Detector): Promise<void> {
    if (indices.length === 0) return;
    const searched = indices.map((i) => this.#images[i]!);
    const { detections } = await this.#measure(detector.detect(searched));
    const unseen = detections.map((boxes, position) => {
      const seen = this.#boxes.get(searched[position]!) ?? [];
      return boxes.filter((box) => !seen.some((each) => isSameFace(each, box)));
    });
    const added = await this.#align(searched, unseen);
    for (const [position, image] of searched.entries()) {
      const index = indices[position]!;
      const all = [...faces[index]!, ...added[position]!].map((face) => ({ ...face.box, face }));
      faces[index] = largestFirst(all, image)
        .slice(0, image.options.facesMax)
        .map(({ face }) => face);
    }
  }

  /** Aligns the candidates whose task asks for it, and drops those whose landmarks are not a face's. */
  async #locate(round: readonly Candidate[]): Promise<{ index: number; face: LocatedFace }[]> {
    const { aligner, embedder } = this.#parts;
    const toAlign = round.filter(({ image }) => image.options.align);
    const { alignments, networkUsage } = await aligner.align(
      toAlign.map(({ image, box }) => ({ image, box: box.landmarkBox })),
    );
    this.#usage.networks.push(...networkUsage);
    const alignmentOf = new Map<Candidate, Alignment>(
      alignments.map((alignment, i) => [toAlign[i]!, alignment]),
    );

    return round.flatMap((candidate) => {
      const { image, index, box } = candidate;
      const alignment = alignmentOf.get(candidate);
      if (alignment === undefined) return [{ index, face: this.#unaligned(image, box) }];
      if (alignment.quarterTurnsTried) this.#usage.quarterTurnsTried++;
      if (!alignment.isFace) {
        this.#usage.implausible++;
        return [];
      }
      const chipToImage = composed(embedder.chipToTemplate, alignment.chipToImage);
      const chip = { image, chipToImage, within: wholeBox(image) };
      const quality = this.#parts.quality?.measure(image, alignment);
      return [{ index, face: { box, chip, eyes: alignment.eyes, quality } }];
    });
  }

  /** A face without landmarks: its box is stretched to the chip. */
  #unaligned(image: EngineImage, box: LocatedFace["box"]): LocatedFace {
    const chip = { image, chipToImage: boxMap(box, this.#parts.embedder.px), within: box };
    return { box, chip, eyes: null, quality: undefined };
  }
}

/**
 * Whether the draft of an image shows no face, or one that the full image would show in more detail: each
 * pixel of the chip must cover at least one of the draft and two of the original. From there on, a chip of
 * the full image is shrunk to half before it is drawn.
 */
function isTooCoarse({ isDraft, width, originalWidth }: EngineImage, faces: readonly LocatedFace[]): boolean {
  if (isDraft !== true) return false;
  const step = Math.min(...faces.map(({ chip }) => stepOf(chip.chipToImage)));
  return faces.length === 0 || step < 1 || (step * originalWidth) / width < 2;
}

const withResolution =
  (fullResolution: boolean) =>
  (image: EngineImage): EngineImage => ({ ...image, options: { ...image.options, fullResolution } });

/** Whether the lower resolutions were left out, which see faces that fill an image. */
const mayBeTight = ({ options }: EngineImage): boolean => options.fullResolution && options.align;

/** Zeroes all embeddings before it throws. */
function requireFinite(embeddings: readonly Float32Array[]): void {
  if (embeddings.every((embedding) => embedding.every(Number.isFinite))) return;
  for (const embedding of embeddings) embedding.fill(0);
  throw new Error("the model gave an embedding that is not finite");
}

/** Encodes and zeroes the embeddings, which are those of all faces in the order of the images. */
function resultsOf(
  images: readonly EngineImage[],
  faces: readonly LocatedFace[][],
  embeddings: readonly Float32Array[],
): TaskResult[] {
  let next = 0;
  return images.map((image, index) => {
    const encoded = faces[index]!.map(({ box, eyes, quality }): Face => {
      const numbers = embeddings[next++]!;
      const embedding = encodeEmbedding(numbers);
      numbers.fill(0);
      const confidence = Math.min(1, Math.max(0, box.score));
      const area = { ...facialArea(image, box, eyes), detector: box.detector };
      return { area, confidence, embedding, quality };
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
  quarterTurnsTried: 0,
  implausible: 0,
  faces: 0,
  networks: [],
};

type PipelineParts = {
  detector: Detector;
  /** Searches images in which the other one sees nothing, or of which every face is wanted. */
  secondDetector?: Detector | undefined;
  aligner: Aligner;
  embedder: Embedder;
  /** Undefined: nobody reads the numbers. */
  quality?: QualityMeter;
};

type Candidate = { image: EngineImage; index: number; box: DetectedFace };

/** Eyes are null, and quality is undefined, if there are no landmarks. */
type LocatedFace = {
  /** `detector`: null for a whole image. */
  box: Detection & { detector: string | null };
  chip: Chip;
  eyes: Eyes | null;
  quality: Face["quality"];
};
