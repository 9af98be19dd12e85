import type { ModelCard, Rate } from "@faceline/contracts/http/model-card";
import { tester as words } from "../words/tester-en.ts";
import { formatNumber } from "./numbers.ts";

/**
 * Returns what a card says, for people: its last set of images, which the thresholds were not chosen on, with
 * a row for each condition.
 */
export function cardSummary({ sets, conditions, ...card }: ModelCard): CardSummary {
  const set = sets.at(-1)!;
  return {
    sentence: words.card.sentence({
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
        words.threshold.of(not_enrolled, images),
        rateText(rates?.fnmr),
        rateText(rates?.fmr),
      ]),
    cost: words.card.cost(formatNumber(card.cpu_ms_per_face), card.processor, formatNumber(card.memory_mib)),
  };
}

const rateText = (rate: Rate | undefined): string =>
  rate === undefined ? "–" : words.card.rate(percent(rate.value), percent(rate.low), percent(rate.high));

const percent = (share: number): string => formatNumber(Number((100 * share).toPrecision(2)));

type CardSummary = { sentence: string; head: string[]; rows: string[][]; cost: string };
