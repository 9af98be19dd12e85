import { parse } from "csv-parse/sync";
import { peopleBySamePairs } from "./people.ts";

/**
 * Reads labelled pairs from the text of a CSV file (RFC 4180). Its first line names the columns, in any
 * order; others are ignored:
 *
 *     left, right     image files, relative to the CSV (also: file_x, file_y)
 *     label           same or different (also: decision; yes or no)
 *     left_person, right_person   optional ids of the people, both or neither
 *     group           optional, such as an age: rates are shown for each
 *
 * Returns the pairs, or a sentence for each line that is wrong, with its number.
 */
export function readLabelledPairs(csv: string): LabelledPairs | { mistakes: string[] } {
  let rows: Row[];
  try {
    // The types of the package do not follow from `info`.
    rows = parse(csv, csvOptions) as unknown as Row[];
  } catch (error) {
    return { mistakes: [(error as Error).message] };
  }
  const [head, ...body] = rows;
  if (head === undefined) return { mistakes: ["it is empty"] };
  const columns = columnsOf(head.record);
  if ("mistake" in columns) return { mistakes: [`line 1: ${columns.mistake}`] };
  if (body.length > pairsMax)
    return { mistakes: [`it has ${body.length} pairs; at most ${pairsMax} are read`] };

  const reader = new PairReader(columns);
  const mistakes: string[] = [];
  for (const row of body) {
    const mistake = reader.add(row);
    if (mistake !== undefined) mistakes.push(`line ${lineOf(row)}: ${mistake}`);
  }
  if (mistakes.length > 0) return { mistakes };
  return reader.finish();
}

/** Collects rows, and what images and people they name. */
class PairReader {
  readonly #columns: Columns;
  readonly #pairs: (LabelledPair & { line: number })[] = [];
  readonly #lines = new Map<string, number>();
  readonly #images = new Map<string, number>();
  readonly #imageLines: number[] = [];
  readonly #idOf: { id: string; line: number }[] = [];

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  /** Returns what is wrong with a row, if anything is. */
  add(row: Row): string | undefined {
    const field = (name: ColumnName) => row.record[this.#columns[name] ?? -1] ?? "";
    const line = lineOf(row);
    const [left, right] = [field("left"), field("right")];
    if (left === "" || right === "") return "it names fewer than two images";
    if (left === right) return `it compares ${left} with itself`;
    const same = labels.get(field("label").toLowerCase());
    if (same === undefined) return `"${field("label")}" is not a label; write same or different`;
    const known = this.#lines.get(pairKey(left, right));
    if (known !== undefined) return `line ${known} has this pair already`;
    this.#lines.set(pairKey(left, right), line);

    if (this.#columns.left_person !== undefined) {
      const [one, other] = [field("left_person"), field("right_person")];
      if (one === "" || other === "") return "the id of a person is missing";
      if ((one === other) !== same) {
        return `it is labelled ${same ? "same" : "different"}, but its people are ${one} and ${other}`;
      }
      const mistake = this.#identify(left, one, line) ?? this.#identify(right, other, line);
      if (mistake !== undefined) return mistake;
    }
    const group = this.#columns.group === undefined ? undefined : field("group");
    if (group === "") return "the group is missing";
    this.#pairs.push({
      images: [this.#indexOf(left, line), this.#indexOf(right, line)],
      same,
      group,
      line,
    });
    return undefined;
  }

  finish(): LabelledPairs | { mistakes: string[] } {
    const names = [...this.#images.keys()];
    const images = names.map((name, index) => ({ name, line: this.#imageLines[index]! }));
    const pairs = this.#pairs.map(({ images, same, group }): LabelledPair => ({ images, same, group }));
    if (names.length > imagesMax) {
      return { mistakes: [`it names ${names.length} images; at most ${imagesMax} are read`] };
    }
    for (const [same, word] of [
      [true, "same"],
      [false, "different"],
    ] as const) {
      if (!pairs.some((pair) => pair.same === same)) return { mistakes: [`no pair is labelled ${word}`] };
    }
    if (this.#columns.left_person !== undefined) {
      const numbers = new Map<string, number>();
      for (const { id } of this.#idOf) if (!numbers.has(id)) numbers.set(id, numbers.size);
      return {
        images,
        pairs,
        people: Int32Array.from(this.#idOf, ({ id }) => numbers.get(id)!),
        peopleFrom: "ids",
      };
    }
    const samePairs = pairs.filter(({ same }) => same).map(({ images }) => images);
    const people = peopleBySamePairs(names.length, samePairs);
    const mistakes = this.#pairs
      .filter(({ same, images: [one, other] }) => !same && people[one] === people[other])
      .map(({ line }) => `line ${line}: it is labelled different, but other lines make both one person`);
    return mistakes.length > 0 ? { mistakes } : { images, pairs, people, peopleFrom: "same pairs" };
  }

  /** Notes who an image shows. Returns what is wrong if another line says another person. */
  #identify(image: string, id: string, line: number): string | undefined {
    const index = this.#indexOf(image, line);
    const known = this.#idOf[index];
    if (known === undefined) this.#idOf[index] = { id, line };
    else if (known.id !== id) return `${image} shows ${id}, but ${known.id} in line ${known.line}`;
    return undefined;
  }

  #indexOf(image: string, line: number): number {
    const index = this.#images.get(image) ?? this.#images.size;
    this.#images.set(image, index);
    this.#imageLines[index] ??= line;
    return index;
  }
}

/** The index of each column, or what is wrong with the first line. */
function columnsOf(names: readonly string[]): Columns | { mistake: string } {
  const found: Partial<Record<ColumnName, number>> = {};
  for (const [index, name] of names.entries()) {
    const column = columnNames.get(name.toLowerCase());
    if (column === undefined) continue;
    if (found[column] !== undefined) return { mistake: `the column ${column} appears twice` };
    found[column] = index;
  }
  const { left, right, label, left_person, right_person, group } = found;
  if (left === undefined || right === undefined || label === undefined) {
    return { mistake: `it must name the columns left, right and label; it names ${names.join(", ")}` };
  }
  if ((left_person === undefined) !== (right_person === undefined)) {
    return { mistake: "it names one of left_person and right_person; both are needed, or neither" };
  }
  return { left, right, label, left_person, right_person, group };
}

const columnNames = new Map<string, ColumnName>([
  ["left", "left"],
  ["file_x", "left"],
  ["right", "right"],
  ["file_y", "right"],
  ["label", "label"],
  ["decision", "label"],
  ["left_person", "left_person"],
  ["right_person", "right_person"],
  ["group", "group"],
]);

const labels = new Map([
  ["same", true],
  ["yes", true],
  ["different", false],
  ["no", false],
]);

const pairKey = (left: string, right: string): string => JSON.stringify([left, right].toSorted());
const lineOf = ({ info }: Row): number => info.lines;

const csvOptions = {
  bom: true,
  info: true,
  relax_column_count: true,
  skip_empty_lines: true,
  trim: true,
} as const;

/** Their numbers take 200 MB at most. */
const pairsMax = 1_000_000;
/** Their embeddings take 200 MB at 512 numbers. */
const imagesMax = 100_000;

type ColumnName = "left" | "right" | "label" | "left_person" | "right_person" | "group";
type Columns = { [K in "left" | "right" | "label"]: number } & {
  [K in "left_person" | "right_person" | "group"]: number | undefined;
};
type Row = { record: string[]; info: { lines: number } };

/** `images`: indices. `group`: undefined without such a column. */
type LabelledPair = { images: readonly [number, number]; same: boolean; group: string | undefined };

export type LabelledPairs = {
  /** File names as the CSV has them, and the first line that has each. */
  images: readonly { name: string; line: number }[];
  pairs: readonly LabelledPair[];
  /** The number of the person in each image. */
  people: Int32Array;
  peopleFrom: "ids" | "same pairs";
};
