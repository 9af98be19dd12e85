import { goldenFaces } from "../golden.ts";
import { createSession, type InferenceSession, Tensor } from "../onnxruntime.ts";
import { adaptedInput } from "./adapter.ts";
import { firstLine } from "./check.ts";
import { adaptedBoxes, adaptedScores } from "./detector-adapter.ts";
import { type DetectorContract, rowsOf } from "./detector-contract.ts";

/**
 * Runs an adapted detector on two drawn faces, each of which takes the middle half of its image. Throws one
 * sentence if it cannot be loaded, or returns what no detector that keeps its contract would return.
 */
export async function checkDetector(onnx: Uint8Array, shape: DetectorShape): Promise<void> {
  const { px } = shape.input;
  const options = { executionProviders: ["cpu"], intraOpNumThreads: 1, logSeverityLevel: 4 } as const;
  const session = await createSession(onnx, options).catch((cause: unknown) => {
    throw new Error(`onnxruntime cannot load it: ${firstLine(cause)}`, { cause });
  });
  await using _session = { [Symbol.asyncDispose]: () => session.release() };
  const faces = goldenFaces(px);
  const singles: Detections[] = [];
  for (const face of faces) {
    const [single] = await detect(session, [face], px).catch((cause: unknown) => {
      throw new Error(`onnxruntime cannot run it: ${firstLine(cause)}`, { cause });
    });
    singles.push(single!);
  }
  for (const single of singles) requireSensible(single, shape);
  requireFaces(singles, shape.selection.score_min);
  const together = await detect(session, [faces[0], faces[1], faces[0]], px).catch((cause: unknown) => {
    throw new Error(`${noBatches} ${firstLine(cause)}`, { cause });
  });
  const expected = [singles[0]!, singles[1]!, singles[0]!];
  const isSame = together.every((row, i) => differenceOf(row, expected[i]!) <= differenceMax);
  if (!isSame) throw new Error(`${noBatches} The boxes of a batch are not those of its images alone.`);
}

function requireSensible({ boxes, scores }: Detections, shape: DetectorShape): void {
  const count = rowsOf(shape).reduce((sum, rows) => sum + rows, 0);
  if (scores.length !== count || boxes.length !== 4 * count) {
    throw new Error(
      `It gives ${scores.length} scores and ${boxes.length / 4} boxes an image; the contract says ${count} of each.`,
    );
  }
  if (![...boxes, ...scores].every(Number.isFinite)) {
    throw new Error("It gives numbers that are not finite for a drawn face.");
  }
  const least = scores.reduce((a, b) => Math.min(a, b));
  const most = scores.reduce((a, b) => Math.max(a, b));
  if (least < -scoreSlack || most > 1 + scoreSlack) {
    const range = `${least.toPrecision(3)} to ${most.toPrecision(3)}`;
    throw new Error(`Its scores are ${range} and not 0 to 1: is activation right?`);
  }
  const faces = scores.filter((score) => score > shape.selection.score_min).length;
  if (faces <= facesShareMax * count) return;
  throw new Error(
    `It scores ${faces} of ${count} boxes around one drawn face as faces: is activation right?`,
  );
}

/**
 * The best box of each drawn face must show it, and one of the two must score nearly as high as a face: a
 * drawing does not reach the scores of photographs.
 */
function requireFaces(singles: readonly Detections[], scoreMin: number): void {
  const best = singles.map(({ boxes, scores }) => {
    const at = scores.indexOf(scores.reduce((a, b) => Math.max(a, b)));
    return { score: scores[at]!, box: [...boxes.subarray(4 * at, 4 * at + 4)] };
  });
  for (const { box } of best) {
    const [top = 0, left = 0, bottom = 0, right = 0] = box;
    const isInside = left < 0.5 && 0.5 < right && top < 0.5 && 0.5 < bottom;
    const side = Math.max(right - left, bottom - top);
    if (isInside && side > drawnSide / sideRatioMax && side < drawnSide * sideRatioMax) continue;
    throw new Error(
      `Its best box for a drawn face is ${box.map((each) => each.toFixed(2)).join(", ")} (top, left, bottom, ` +
        `right), and the face is in the middle half: are strides, priors and variances right?`,
    );
  }
  if (best.some(({ score }) => score > scoreMin / 2)) return;
  throw new Error(
    `Its scores for two drawn faces are ${best.map(({ score }) => score.toFixed(2)).join(" and ")}, not above ` +
      `half of score_min: are mean, scale, colour order and activation right?`,
  );
}

/** The largest difference of two scores, or of two boxes. */
function differenceOf(one: Detections, other: Detections): number {
  if (one.scores.length !== other.scores.length) return Infinity;
  const difference = (a: Float32Array, b: Float32Array): number =>
    a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);
  return Math.max(difference(one.scores, other.scores), difference(one.boxes, other.boxes));
}

/** Returns the boxes and scores of each image, all of one run. Images are uint8 RGB, px by px. */
async function detect(
  session: InferenceSession,
  images: readonly Uint8Array[],
  px: number,
): Promise<Detections[]> {
  const image = new Tensor("uint8", new Uint8Array(Buffer.concat(images)), [images.length, px, px, 3]);
  const outputs = await session.run({ [adaptedInput]: image });
  const rows = (name: string, i: number): Float32Array => {
    const numbers = outputs[name]!.data as Float32Array;
    const width = numbers.length / images.length;
    return numbers.slice(i * width, (i + 1) * width);
  };
  return images.map((_, i) => ({ boxes: rows(adaptedBoxes, i), scores: rows(adaptedScores, i) }));
}

type Detections = { boxes: Float32Array; scores: Float32Array };

/** Part of a contract that the checks need. */
export type DetectorShape = Pick<DetectorContract, "role" | "input" | "decoder" | "selection">;

const noBatches =
  "It takes one image at a time: a batch of 3 failed. Export it with a dynamic batch dimension.";

/** Half the image. Detectors draw boxes differently: from eyebrows to chin, or around the whole head. */
const drawnSide = 0.5;
const sideRatioMax = 2;
/** A face has a few dozen boxes among thousands. */
const facesShareMax = 0.05;
/** Rounding of probabilities, and of shares of the image between runs of different sizes. */
const scoreSlack = 1e-3;
const differenceMax = 1e-3;
