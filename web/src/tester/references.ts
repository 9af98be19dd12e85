/**
 * Returns the candidates that a result is about, by their positions: those of the same person as the one at
 * `index`, or only that one if it has no person. `people` has a name for each candidate, or "".
 */
export function referencesOf(people: readonly string[], index: number): number[] {
  const person = people[index] ?? "";
  return person === "" ? [index] : people.flatMap((each, i) => (each === person ? i : []));
}
