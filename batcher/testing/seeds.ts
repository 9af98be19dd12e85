/** Returns the seeds of a test: `count` of them, as many as SEEDS says, or the one that SEED names. */
export function seedsOf(count: number): number[] {
  const { SEED: one, SEEDS: many } = process.env;
  return one === undefined ? Array.from({ length: Number(many ?? count) }, (_, seed) => seed) : [Number(one)];
}
