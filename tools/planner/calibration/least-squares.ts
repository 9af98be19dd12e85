/**
 * Returns the weights, none below 0, with which the columns of `rows` add up to the `values` best: by least
 * squares of the relative errors, so that small values count as much as large ones. Every choice of columns
 * is tried, which is exact and cheap for a few columns (Lawson and Hanson, Solving Least Squares Problems,
 * 23).
 */
export function nonNegativeWeights(
  rows: readonly (readonly number[])[],
  values: readonly number[],
): number[] {
  const columns = rows[0]!.length;
  let best = { weights: Array.from({ length: columns }, () => 0), error: Number.POSITIVE_INFINITY };
  for (let choice = 1; choice < 2 ** columns; choice++) {
    const chosen = Array.from({ length: columns }, (_, column) => column).filter(
      (column) => choice & (1 << column),
    );
    const solved = solve(rows, values, chosen);
    if (solved === undefined || solved.some((weight) => weight < 0)) continue;
    const weights = best.weights.map((_, column) => solved[chosen.indexOf(column)] ?? 0);
    const error = rows.reduce((sum, row, index) => sum + (dot(row, weights) / values[index]! - 1) ** 2, 0);
    if (error < best.error - tolerance) best = { weights, error };
  }
  return best.weights;
}

/** The normal equations of the chosen columns, by elimination; undefined where they have no one solution. */
function solve(rows: readonly (readonly number[])[], values: readonly number[], chosen: number[]) {
  const matrix = chosen.map((one) => [
    ...chosen.map((other) =>
      rows.reduce((sum, row, i) => sum + (row[one]! * row[other]!) / values[i]! ** 2, 0),
    ),
    rows.reduce((sum, row, i) => sum + row[one]! / values[i]!, 0),
  ]);
  for (const [at, pivot] of matrix.entries()) {
    if (Math.abs(pivot[at]!) < tolerance) return undefined;
    for (const [index, row] of matrix.entries()) {
      if (index === at) continue;
      const factor = row[at]! / pivot[at]!;
      for (let column = at; column < row.length; column++) row[column]! -= factor * pivot[column]!;
    }
  }
  return matrix.map((row, at) => row.at(-1)! / row[at]!);
}

const dot = (row: readonly number[], weights: readonly number[]): number =>
  row.reduce((sum, each, column) => sum + each * weights[column]!, 0);

const tolerance = 1e-12;
