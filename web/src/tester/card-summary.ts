import type { ModelCard, Rate } from "@faceline/contracts/http/model-card";
import { fill } from "../words/fill.ts";
import { formatNumber } from "./numbers.ts";
import { words } from "./words.ts";

/**
 * Returns what a card says, for people: its last set of images, which the thresholds were not chosen on, with
 * a row for each condition.
 */
export function cardSummary({ sets, conditions, ...card }: ModelCard): CardSummary {
  const set = sets.at(-1)!;
  return {
    sentence: fill(words.card.sentence, {
      on: card.measured_on,
      by: card.measured_by,
      lane: card.lane,
      images: formatNumber(set.images),
      people: formatNumber(set.people),
      source: set.source,
    }),
    head: words.card.head,
    rows: conditions
      .filter((each) => each.set === set.name)
      .map(({ condition, images, not_enrolled, rates }) => [
        condition,
        fill(words.threshold.of, { part: not_enrolled, all: images }),
        rateText(rates?.fnmr),
        rateText(rates?.fmr),
      ]),
    cost: fill(words.card.cost, {
      ms: formatNumber(card.cpu_ms_per_face),
      processor: card.processor,
      memory: formatNumber(card.memory_mib),
    }),
  };
}

function rateText(rate: Rate | undefined): string {
  if (rate === undefined) return "–";
  const { value, low, high } = rate;
  return fill(words.card.rate, { value: percent(value), low: percent(low), high: percent(high) });
}

const percent = (share: number): string => formatNumber(Number((100 * share).toPrecision(2)));

type CardSummary = { sentence: string; head: string[]; rows: string[][]; cost: string };
