/**
 * Numbers people from 0 on. Without ids, images that pairs marked "same" connect show one person, and every
 * other image a person of its own. Returns a number for each image; `images` are their indices.
 */
export function peopleBySamePairs(count: number, samePairs: Iterable<readonly [number, number]>): Int32Array {
  const parents = Int32Array.from({ length: count }, (_, i) => i);
  const rootOf = (image: number): number => {
    let root = image;
    while (parents[root] !== root) root = parents[root]!;
    // Shortens the way for the next time.
    for (let at = image; at !== root; ) {
      const next = parents[at]!;
      parents[at] = root;
      at = next;
    }
    return root;
  };
  for (const [one, other] of samePairs) parents[rootOf(one)] = rootOf(other);
  const numbers = new Map<number, number>();
  return Int32Array.from({ length: count }, (_, image) => {
    const root = rootOf(image);
    const number = numbers.get(root) ?? numbers.size;
    numbers.set(root, number);
    return number;
  });
}
