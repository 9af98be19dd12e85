import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { LabelledPairs } from "../pairs/labelled-pairs.ts";

/**
 * Reads Labeled Faces in the Wild: a folder with one folder a person, and `pairs.txt` in it or beside it. The
 * first line of that has the number of folds and of pairs; each fold then has so many lines `name n n`, pairs
 * of one person, and as many `name n name n`, pairs of two. Throws one sentence where it has another form.
 */
export async function readLfwPairs(folder: string): Promise<LfwPairs> {
  const path = [join(folder, "pairs.txt"), join(dirname(folder), "pairs.txt")].find((each) =>
    existsSync(each),
  );
  if (path === undefined) throw new Error(`there is no pairs.txt in ${folder}, nor beside it`);
  const { size } = await stat(path);
  if (size > bytesMax) throw new Error(`${path} has ${size} bytes; at most ${bytesMax} are read`);
  const [head = "", ...lines] = (await readFile(path, "utf8")).trimEnd().split(/\r?\n/);
  const [, folds = 0, half = 0] = (/^(\d{1,2})\s+(\d{1,5})$/.exec(head.trim()) ?? []).map(Number);
  if (folds < 2 || half < 1) throw new Error(`${path}, line 1: write the number of folds and of pairs`);
  if (lines.length !== 2 * folds * half) {
    throw new Error(`${path} has ${lines.length} pairs; its first line says ${2 * folds * half}`);
  }
  const images = new Map<string, { name: string; line: number; person: number }>();
  const people = new Map<string, number>();
  const indices = new Map<string, number>();
  const indexOf = (person: string, number: string, line: number): number => {
    const name = join(person, `${person}_${number.padStart(4, "0")}.jpg`);
    const index = indices.get(name) ?? indices.size;
    const personNumber = people.get(person) ?? people.size;
    people.set(person, personNumber);
    indices.set(name, index);
    if (!images.has(name)) images.set(name, { name, line, person: personNumber });
    return index;
  };
  const pairs = lines.map((text, index) => {
    const line = index + 2;
    const same = Math.floor(index / half) % 2 === 0;
    const fields = text.trim().split(/\s+/);
    const [one = "", first = "", other = "", second = ""] = same
      ? [fields[0], fields[1], fields[0], fields[2]]
      : fields;
    const isPerson = (name: string) => /^[^/\\]+$/.test(name) && !name.startsWith(".");
    const isWhole =
      fields.length === (same ? 3 : 4) &&
      [one, other].every(isPerson) &&
      /^\d{1,4} \d{1,4}$/.test(`${first} ${second}`);
    if (!isWhole)
      throw new Error(`${path}, line ${line}: this is not a pair of ${same ? "one person" : "two people"}`);
    return {
      images: [indexOf(one, first, line), indexOf(other, second, line)] as const,
      same,
      group: undefined,
    };
  });
  const all = [...images.values()];
  return {
    images: all.map(({ name, line }) => ({ name, line })),
    pairs,
    people: Int32Array.from(all, ({ person }) => person),
    peopleFrom: "ids",
    foldPairs: 2 * half,
  };
}

const bytesMax = 16 * 2 ** 20;

/** Pairs are in the order of the folds, each of which has `foldPairs`. */
export type LfwPairs = LabelledPairs & { foldPairs: number };
