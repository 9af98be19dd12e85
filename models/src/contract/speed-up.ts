import { flushTinyWeights } from "../onnx/tiny-weights.ts";

/**
 * Sets the tiny weights of a foreign network to 0, because they make CPUs slow, if the embeddings of the two
 * golden faces stay the same to the last bit. Throws what `check` throws for the file itself.
 */
export async function speedUp(
  original: Uint8Array,
  check: (onnx: Uint8Array) => Promise<Float32Array[]>,
): Promise<Faster> {
  const golden = await check(original);
  const { onnx, weights, flushed } = flushTinyWeights(original);
  if (flushed === 0) return { onnx: original, golden, report: [] };
  const share = `${flushed.toLocaleString("en")} of ${weights.toLocaleString("en")} weights are below 2^-63`;
  const after = await check(onnx).catch(() => undefined);
  const isSame = after?.every((row, i) => row.every((number, j) => number === golden[i]![j]));
  return isSame
    ? {
        onnx,
        golden,
        report: [`${share} and are 0 now, because CPUs are slow with them: embeddings stay as they were.`],
      }
    : {
        onnx: original,
        golden,
        report: [`${share}, which makes CPUs slow; they are left, because embeddings change without them.`],
      };
}

/** A network as it will run, its golden embeddings, and a sentence about what was changed or left. */
export type Faster = { onnx: Uint8Array; golden: readonly Float32Array[]; report: readonly string[] };
