import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "csv-parse/sync";

/**
 * Reads the names of images from a folder that has one folder a person. A file `groups.csv` beside the
 * people may name a group of each, in columns `person` and `group`. Names that begin with a dot, links, and
 * files that are no images by their name are left out. Throws a sentence for each mistake.
 */
export async function readPeople(folder: string): Promise<PeopleFolder> {
  const people: PeopleFolder["people"] = [];
  const images: PeopleFolder["images"] = [];
  for (const name of await namesIn(folder, "folders")) {
    const own = (await namesIn(join(folder, name), "files")).filter((file) => imageName.test(file));
    if (own.length === 0) continue;
    people.push({ name, images: own.length, group: undefined });
    images.push(...own.map((file) => ({ name: join(name, file) })));
    if (images.length > imagesMax) throw new Error(`${folder} has more than ${imagesMax} images`);
  }
  if (people.length < 2 || !people.some((person) => person.images > 1)) {
    throw new Error(`${folder} needs one folder per person: two people, and one of them with two images`);
  }
  const groups = join(folder, "groups.csv");
  if (existsSync(groups)) addGroups(people, await readFile(groups, "utf8"), groups);
  return { people, images };
}

async function namesIn(folder: string, kind: "files" | "folders"): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw new Error(`${folder} cannot be read`, { cause });
  });
  return entries
    .filter((entry) => (kind === "files" ? entry.isFile() : entry.isDirectory()))
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("."))
    .toSorted();
}

function addGroups(people: PeopleFolder["people"], csv: string, path: string): void {
  let rows: Record<string, string>[];
  try {
    rows = parse(csv, { bom: true, columns: true, skip_empty_lines: true, trim: true });
  } catch (cause) {
    throw new Error(`${path}: ${(cause as Error).message}`, { cause });
  }
  const groupOf = new Map(rows.map(({ person = "", group = "" }) => [person, group]));
  for (const person of people) {
    const group = groupOf.get(person.name);
    if (group === undefined || group === "") throw new Error(`${path} names no group of ${person.name}`);
    person.group = group;
  }
}

const imageName = /\.(jpe?g|png|webp|avif|gif|bmp|tiff?|hei[cf])$/i;

/** Their embeddings take 200 MB at 512 numbers. */
const imagesMax = 100_000;

export type PeopleFolder = {
  people: { name: string; images: number; group: string | undefined }[];
  /** Names relative to the folder, one person after another. */
  images: { name: string }[];
};
