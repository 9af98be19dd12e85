import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type * as z from "zod";
import { ModelCard } from "@faceline/contracts/http/model-card";
import { FalseMatchCurves } from "./false-match-curve.ts";

/**
 * Reads the cards of models by the model's name, from `cards/<name>.json`. `npm run bench -- --only accuracy
 * --write` writes their figures; weaknesses are written by hand, with a source. A model that was not measured
 * here has none.
 */
export async function readCards(): Promise<Map<string, MeasuredCard>> {
  const cards = new Map<string, MeasuredCard>();
  for (const file of (await readdir(cardsFolder)).filter((name) => name.endsWith(cardEnd)).toSorted()) {
    const json: unknown = JSON.parse(await readFile(join(cardsFolder, file), "utf8"));
    const parsed = MeasuredCard.safeParse(json);
    if (!parsed.success) throw new Error(`the card ${file}: ${parsed.error.message}`);
    cards.set(file.slice(0, -cardEnd.length), parsed.data);
  }
  return cards;
}

/** `false_match_curves`: of a recogniser, over pairs of two held-out people. No response shows them. */
const MeasuredCard = ModelCard.extend({ false_match_curves: FalseMatchCurves.optional() });
export type MeasuredCard = z.infer<typeof MeasuredCard>;

const cardsFolder = join(import.meta.dirname, "../cards");

/** Returns the path of a model's card. */
export const cardFile = (name: string): string => join(cardsFolder, name + cardEnd);

const cardEnd = ".json";
