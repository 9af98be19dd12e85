import { rewritePrelus } from "../onnx/prelu-nodes.ts";
import { flushTinyWeights } from "../onnx/tiny-weights.ts";

/**
 * Changes what makes a foreign network slow. A change is kept where the embeddings of the two golden faces
 * stay: to the last bit if weights became 0, to rounding if it computes in another order. Throws what `check`
 * throws for the file itself.
 */
export async function speedUp(
  original: Uint8Array,
  check: (onnx: Uint8Array) => Promise<Float32Array[]>,
): Promise<Faster> {
  let faster: Faster = { onnx: original, golden: await check(original), report: [] };
  for (const change of [withoutTinyWeights, withoutPrelus]) {
    const { onnx, differenceMax, kept, left } = change(faster.onnx);
    const golden = onnx && (await check(onnx).catch(() => undefined));
    const isKept = golden !== undefined && difference(golden, faster.golden) <= differenceMax;
    const report = [...faster.report, ...((isKept ? kept : left) ?? [])];
    faster = isKept ? { onnx: onnx!, golden, report } : { ...faster, report };
  }
  return faster;
}

function withoutTinyWeights(file: Uint8Array): Change {
  const { onnx, weights, flushed } = flushTinyWeights(file);
  if (flushed === 0) return unchanged;
  const share = `${flushed.toLocaleString("en")} of ${weights.toLocaleString("en")} weights are below 2^-63`;
  return {
    onnx,
    differenceMax: 0,
    kept: [`${share} and are 0 now, because CPUs are slow with them: embeddings stay as they were.`],
    left: [`${share}, which makes CPUs slow; they are left, because embeddings change without them.`],
  };
}

function withoutPrelus(file: Uint8Array): Change {
  const { onnx, rewritten, left } = rewritePrelus(file);
  const slow = (count: number): string[] =>
    count === 0 ? [] : [`${count} of its PReLUs are left as they are, and slow.`];
  if (rewritten === 0) return { ...unchanged, left: slow(left) };
  return {
    onnx,
    differenceMax: roundingMax,
    kept: [`${rewritten} PReLUs are written as convolutions, which are faster.`, ...slow(left)],
    left: slow(rewritten + left),
  };
}

const unchanged: Change = { onnx: undefined, differenceMax: 0, kept: [], left: [] };

/** Largest difference of a number in an embedding of length 1. A network of 33 PReLUs differed by 1e-6. */
const roundingMax = 1e-5;

function difference(one: readonly Float32Array[], other: readonly Float32Array[]): number {
  return Math.max(
    ...one.flatMap((row, i) => Array.from(row, (number, j) => Math.abs(number - other[i]![j]!))),
  );
}

/** A network as it will run, its golden embeddings, and a sentence for each thing that was done or left. */
export type Faster = { onnx: Uint8Array; golden: readonly Float32Array[]; report: readonly string[] };

type Change = {
  /** Undefined where there is nothing to change. */
  onnx: Uint8Array | undefined;
  differenceMax: number;
  kept: readonly string[];
  left: readonly string[];
};
