import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ModelCard } from "@faceline/contracts/http/model-card";

/**
 * Reads the cards of models by the model's name, from `cards/<name>.json`. `npm run bench -- --only accuracy
 * --write` writes their figures; weaknesses are written by hand, with a source. A model that was not measured
 * here has none.
 */
export async function readCards(): Promise<Map<string, ModelCard>> {
  const cards = new Map<string, ModelCard>();
  for (const file of (await readdir(cardsFolder)).filter((name) => name.endsWith(cardEnd)).toSorted()) {
    const json: unknown = JSON.parse(await readFile(join(cardsFolder, file), "utf8"));
    const parsed = ModelCard.safeParse(json);
    if (!parsed.success) throw new Error(`the card ${file}: ${parsed.error.message}`);
    cards.set(file.slice(0, -cardEnd.length), parsed.data);
  }
  return cards;
}

const cardsFolder = join(import.meta.dirname, "../cards");

/** Returns the path of a model's card. */
export const cardFile = (name: string): string => join(cardsFolder, name + cardEnd);

const cardEnd = ".json";
