import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { catalogueFolder } from "../src/catalogue.ts";
import { CheckedModel } from "../src/entry-rules.ts";

// Used by ../src/catalogue-entry.test.ts and ../src/entry-rules.test.ts.

/** Mistakes in the entry of a folder of the catalogue with these changes, as `field: what is wrong`. */
export async function mistakesWith(folder: string, changes: object): Promise<string[]> {
  const { error } = CheckedModel.safeParse({ ...(await entryIn(folder)), ...changes });
  return (error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

/** The entry of a folder of the catalogue as it is in its file. */
export async function entryIn(folder: string): Promise<object> {
  return JSON.parse(await readFile(join(catalogueFolder, folder, "model.json"), "utf8")) as object;
}
