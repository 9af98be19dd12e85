import type { Golden } from "./catalogue-entry.ts";
import { otherSyntheticFace, syntheticFace } from "./synthetic-face.ts";

/**
 * Embeddings that a model gave for two synthetic faces when it was added. A file, an engine or a machine with
 * other results would make embeddings that do not fit those that are stored.
 */

/** The images behind the golden embeddings, in their order: uint8 RGB, px by px. */
export function goldenFaces(px: number): readonly [Uint8Array, Uint8Array] {
  return [syntheticFace(px), otherSyntheticFace(px)];
}

/** Returns a sentence if embeddings of the golden faces differ from the golden ones. */
export function goldenFault(
  name: string,
  { cosine_distance_max, embeddings: expected }: Golden,
  embeddings: readonly Float32Array[],
): string | undefined {
  const distances = expected.map((golden, i) => cosineDistance(golden, embeddings[i]!));
  const most = Math.max(...distances.map((distance) => (Number.isFinite(distance) ? distance : Infinity)));
  if (most <= cosine_distance_max) return undefined;
  return (
    `${name} gives different embeddings than when it was added (cosine distance ${most.toPrecision(2)}, ` +
    `allowed ${cosine_distance_max}): add it again, or look for what changed in this machine's engine.`
  );
}

/** Returns 0 to 2; not finite if an embedding is 0 or not finite. */
export function cosineDistance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!;
    aa += a[i]! ** 2;
    bb += b[i]! ** 2;
  }
  return 1 - dot / Math.sqrt(aa * bb);
}
