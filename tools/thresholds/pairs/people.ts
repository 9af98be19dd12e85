/**
 * Numbers people from 0 on. Without ids, pictures that pairs marked "same" connect show one person, and every
 * other picture a person of its own. Returns a number for each picture; `pictures` are their indices.
 */
export function peopleBySamePairs(count: number, samePairs: Iterable<readonly [number, number]>): Int32Array {
  const parents = Int32Array.from({ length: count }, (_, i) => i);
  const rootOf = (picture: number): number => {
    let root = picture;
    while (parents[root] !== root) root = parents[root]!;
    // Shortens the way for the next time.
    for (let at = picture; at !== root; ) {
      const next = parents[at]!;
      parents[at] = root;
      at = next;
    }
    return root;
  };
  for (const [one, other] of samePairs) parents[rootOf(one)] = rootOf(other);
  const numbers = new Map<number, number>();
  return Int32Array.from({ length: count }, (_, picture) => {
    const root = rootOf(picture);
    const number = numbers.get(root) ?? numbers.size;
    numbers.set(root, number);
    return number;
  });
}
