import { encodeEmbedding, type Face } from "@faceline/contracts/wire/face";
import { boxAt, type Rectangle } from "../align/affine.ts";
import { type Aligner, type BoxedFace } from "../align/aligner.ts";
import type { Detected, Detector } from "../detect/detector.ts";
import type { Found } from "../detect/selection.ts";
import type { Chip, Embedder } from "../embed/embedder.ts";
import { areaOf, type Eyes, eyesOf } from "./facial-area.ts";
import type { EnginePicture, PipelineFacts, TaskResult } from "./work.ts";

/**
 * What is done to the pictures of one lane.
 *
 *     pictures ──► detect ──► align ──► embed ──► read ──► results
 *
 * Each stage takes the pictures or faces of the whole batch. A picture without a face ends its own task alone.
 */
export class Pipeline {
  readonly #parts: PipelineParts;
  #times = { ...noTimes };

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  async run(pictures: readonly EnginePicture[]): Promise<TaskResult[]> {
    const { faces: found, inSmall } = await this.#detect(pictures);
    const faces = await this.#align(pictures, found);
    await this.#lookAgain(
      pictures,
      inSmall.filter((i) => faces[i]!.length === 0),
      faces,
    );
    for (const [index, picture] of pictures.entries()) {
      const wholeCounts = !picture.options.enforceDetection && faces[index]!.length === 0;
      if (wholeCounts) faces[index]!.push(this.#stretched(picture, { ...wholeOf(picture), score: 0 }));
    }
    const begunAt = performance.now();
    const embeddings = await this.#parts.embedder.embed(faces.flat().map((face) => face.chip));
    this.#times.embedMs += performance.now() - begunAt;
    this.#times.faces += embeddings.length;
    return read(pictures, faces, embeddings);
  }

  /** What has been done since the last call. */
  takeFacts(): PipelineFacts {
    const facts = this.#times;
    this.#times = { ...noTimes };
    return facts;
  }

  async #detect(pictures: readonly EnginePicture[]): Promise<Detected> {
    const begunAt = performance.now();
    const detected = await this.#parts.detector.detect(pictures);
    this.#times.detectMs += performance.now() - begunAt;
    this.#times.secondLooks += detected.secondLooks;
    return detected;
  }

  /** The faces of each picture that are to be embedded: largest first, as many as were asked for. */
  async #align(pictures: readonly EnginePicture[], found: readonly Found[][]): Promise<SeenFace[][]> {
    const begunAt = performance.now();
    const seen: SeenFace[][] = pictures.map(() => []);
    const waiting = found.map((boxes) => [...boxes]);
    for (;;) {
      // No more than are wanted: most calls want the largest face of a crowd. A box that turns out to hold no face makes
      // room for the next.
      const round = pictures.flatMap((picture, index) => {
        const wanted = picture.options.facesMax - seen[index]!.length;
        return waiting[index]!.splice(0, wanted).map((box) => ({ picture, index, box }));
      });
      if (round.length === 0) break;
      for (const { index, face } of await this.#place(round)) seen[index]!.push(face);
    }
    this.#times.alignMs += performance.now() - begunAt;
    return seen;
  }

  /** At full size: what was a clear face in small turned out to be none. */
  async #lookAgain(
    pictures: readonly EnginePicture[],
    mistaken: readonly number[],
    faces: SeenFace[][],
  ): Promise<void> {
    if (mistaken.length === 0) return;
    const again = mistaken.map((i) => {
      const picture = pictures[i]!;
      return { ...picture, options: { ...picture.options, fullResolution: true } };
    });
    const { faces: found } = await this.#detect(again);
    for (const [at, seen] of (await this.#align(again, found)).entries()) faces[mistaken[at]!] = seen;
  }

  async #place(round: readonly Candidate[]): Promise<{ index: number; face: SeenFace }[]> {
    const { aligner, residualMaxPx } = this.#parts;
    const aligned = round.filter(({ picture }) => picture.options.align);
    const alignments = new Map<Candidate, Awaited<ReturnType<Aligner["align"]>>[number]>();
    for (const [i, alignment] of (await aligner.align(aligned)).entries())
      alignments.set(aligned[i]!, alignment);

    return round.flatMap((candidate) => {
      const { picture, index, box } = candidate;
      const alignment = alignments.get(candidate);
      if (alignment === undefined) return [{ index, face: this.#stretched(picture, box) }];
      if (alignment.turned) this.#times.turned++;
      if (!(alignment.residualPx <= residualMaxPx)) {
        this.#times.implausible++;
        return [];
      }
      const chip = { picture, map: alignment.map, within: wholeOf(picture) };
      return [{ index, face: { box, chip, eyes: eyesOf(alignment.landmarks) } }];
    });
  }

  /** A box as it is, for a face without landmarks. */
  #stretched(picture: EnginePicture, box: Found): SeenFace {
    return { box, chip: { picture, map: boxAt(box, this.#parts.embedder.px), within: box }, eyes: null };
  }
}

function read(
  pictures: readonly EnginePicture[],
  faces: readonly SeenFace[][],
  embeddings: readonly Float32Array[],
): TaskResult[] {
  let next = 0;
  return pictures.map((picture, index) => {
    const answered = faces[index]!.map(({ box, eyes }): Face => {
      const numbers = embeddings[next++]!;
      const embedding = encodeEmbedding(numbers);
      numbers.fill(0);
      const confidence = Math.min(1, Math.max(0, box.score));
      return { area: areaOf(picture, box, eyes), confidence, embedding };
    });
    return answered.length === 0
      ? { kind: "rejected", code: "no_face_detected" }
      : { kind: "faces", faces: answered };
  });
}

function wholeOf({ width, height }: EnginePicture): Rectangle {
  return { left: 0, top: 0, right: width, bottom: height };
}

export const noTimes: PipelineFacts = {
  detectMs: 0,
  alignMs: 0,
  embedMs: 0,
  secondLooks: 0,
  turned: 0,
  implausible: 0,
  faces: 0,
};

export type PipelineParts = {
  detector: Detector;
  aligner: Aligner;
  embedder: Embedder;
  /** Landmarks further from the mean face than this, in pixels of the chip, are no face. */
  residualMaxPx: number;
};

type Candidate = BoxedFace & { picture: EnginePicture; index: number; box: Found };

/** Eyes are null where there are no landmarks. */
type SeenFace = { box: Found; chip: Chip; eyes: Eyes | null };
