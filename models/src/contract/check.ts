import { cosineDistance, goldenFaces } from "../golden.ts";
import { createSession, type InferenceSession, Tensor } from "../onnxruntime.ts";
import { adaptedInput, adaptedOutput } from "./adapter.ts";
import type { Contract } from "./contract.ts";

/**
 * Runs an adapted recogniser on two synthetic faces, and returns their embeddings. Throws one sentence if it
 * cannot be loaded, or returns what no recogniser that keeps its contract would return.
 */
export async function checkRecogniser(onnx: Uint8Array, contract: ContractShape): Promise<Float32Array[]> {
  const { input, output } = contract;
  const options = { executionProviders: ["cpu"], intraOpNumThreads: 1, logSeverityLevel: 4 } as const;
  const session = await createSession(onnx, options).catch((cause: unknown) => {
    throw new Error(`onnxruntime cannot load it: ${firstLine(cause)}`, { cause });
  });
  await using _session = { [Symbol.asyncDispose]: () => session.release() };
  const faces = goldenFaces(input.px);
  const singles: Float32Array[] = [];
  for (const face of faces) {
    const [single] = await embed(session, [face], input.px).catch((cause: unknown) => {
      throw new Error(`onnxruntime cannot run it: ${firstLine(cause)}`, { cause });
    });
    singles.push(single!);
  }
  const [one, other] = singles as [Float32Array, Float32Array];
  if (one.length !== output.length) {
    throw new Error(`It gives ${one.length} numbers a face; the contract says ${output.length}.`);
  }
  if (!singles.every((single) => single.every(Number.isFinite))) {
    throw new Error("It gives numbers that are not finite for a synthetic face.");
  }
  if (singles.some((single) => single.every((number) => number === 0))) {
    throw new Error("It gives nothing but zeros for a synthetic face: are mean and scale right?");
  }
  if (cosineDistance(one, other) < differenceMin) {
    throw new Error(
      "It gives the same embedding for two different faces: are mean, scale, layout and colour order right?",
    );
  }
  const batch = [faces[0], faces[1], faces[0]];
  const together = await embed(session, batch, input.px).catch((cause: unknown) => {
    throw new Error(`${noBatches} ${firstLine(cause)}`, { cause });
  });
  const expected = [one, other, one];
  const most = Math.max(
    ...together.map((row, i) => (row.length === output.length ? cosineDistance(row, expected[i]!) : 2)),
  );
  if (!(most <= batchDifferenceMax)) {
    throw new Error(`${noBatches} The embeddings of a batch are not those of its faces alone.`);
  }
  return singles;
}

/** Returns one embedding for each image, all from one run. Images are uint8 RGB, px by px. */
async function embed(
  session: InferenceSession,
  images: readonly Uint8Array[],
  px: number,
): Promise<Float32Array[]> {
  const image = new Tensor("uint8", new Uint8Array(Buffer.concat(images)), [images.length, px, px, 3]);
  const { [adaptedOutput]: output } = await session.run({ [adaptedInput]: image });
  const numbers = output!.data as Float32Array;
  const width = numbers.length / images.length;
  return images.map((_, i) => numbers.slice(i * width, (i + 1) * width));
}

/** Part of a contract that the checks need. */
export type ContractShape = {
  role?: Contract["role"];
  input: Pick<Contract["input"], "px">;
  output: Pick<Contract["output"], "length">;
};

const noBatches =
  "It takes one face at a time: a batch of 3 failed. Export it with a dynamic batch dimension.";

/** Cosine distances. Rounding errors stay far below them. */
const differenceMin = 1e-5;
const batchDifferenceMax = 1e-4;

export function firstLine(cause: unknown): string {
  const [line = ""] = (cause as Error).message.trim().split("\n");
  return line.slice(0, 200);
}
