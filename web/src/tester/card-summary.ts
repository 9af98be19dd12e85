import type { ModelCard, Rate } from "@faceline/contracts/http/model-card";

/**
 * Returns what a card says, for people: its last set of images, which the thresholds were not chosen on, with
 * a row for each condition.
 */
export function cardSummary({ sets, conditions, ...card }: ModelCard): CardSummary {
  const set = sets.at(-1)!;
  return {
    sentence:
      `Measured on ${card.measured_on} by ${card.measured_by} with ${card.lane}, on ${set.images} images of ` +
      `${set.people} people (${set.source}). In brackets: 95 % intervals. Other people and cameras give other ` +
      "rates.",
    head: ["One image of a pair", "No face", "One person refused (FNMR)", "Two people taken for one (FMR)"],
    rows: conditions
      .filter((each) => each.set === set.name)
      .map(({ condition, images, not_enrolled, rates }) => [
        condition,
        `${not_enrolled} of ${images}`,
        rateText(rates?.fnmr),
        rateText(rates?.fmr),
      ]),
    cost: `${card.cpu_ms_per_face} ms of CPU time a face on one thread (${card.processor}), ${card.memory_mib} MiB.`,
  };
}

const rateText = (rate: Rate | undefined): string =>
  rate === undefined ? "–" : `${percent(rate.value)} % (${percent(rate.low)} to ${percent(rate.high)})`;

const percent = (share: number): string => String(Number((100 * share).toPrecision(2)));

type CardSummary = { sentence: string; head: string[]; rows: string[][]; cost: string };
