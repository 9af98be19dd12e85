/**
 * Joins what each model of a pair gave for the same faces, one row of `parts` a model: each embedding at
 * length 1, times the square root of its model's weight, one after the other. The cosine distance of two
 * such embeddings is then the weighted mean of the models' cosine distances, as the weights sum to 1. Zeroes
 * the parts. Embeddings of a single model stay as they are.
 */
export function joinEmbeddings(
  parts: readonly (readonly Float32Array[])[],
  weights: readonly number[],
): readonly Float32Array[] {
  const [first = []] = parts;
  if (parts.length === 1) return first;
  return first.map((_, face) => {
    const members = parts.map((embeddings) => embeddings[face]!);
    const joined = new Float32Array(members.reduce((sum, { length }) => sum + length, 0));
    let offset = 0;
    for (const [i, member] of members.entries()) {
      const scale = Math.sqrt(weights[i]!) / Math.hypot(...member);
      for (const number of member) joined[offset++] = scale * number;
      member.fill(0);
    }
    return joined;
  });
}
