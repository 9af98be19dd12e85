import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readContract, type StatedContract } from "./read-contract.ts";

/** A contract whose file can be fetched. */
export type Published = StatedContract & {
  download: { url: string; sha256: string; bytes?: number | undefined };
};

/**
 * The models of other publishers that `pull` can fetch by their names: those whose publisher states the
 * whole SHA-256. Faceline contains their contracts, not their files.
 */
export async function readPublished(folder: string = publishedFolder): Promise<Published[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".json")).toSorted();
  const stated = await Promise.all(files.map((name) => readContract(join(folder, name))));
  return stated.map((each) => {
    const { download } = each.contract;
    if (download === undefined) throw new Error(`${each.contract.name} has no download.`);
    return { ...each, download };
  });
}

const publishedFolder = join(import.meta.dirname, "../../published");
