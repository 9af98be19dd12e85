import type { AccuracyPlan, AccuracyRow } from "@faceline/accuracy/messages";
import type { ModelCard, Rate } from "@faceline/contracts/http/model-card";
import type { MeasuredCard } from "@faceline/models/card";

/**
 * Makes the card of each recogniser, and of each detector with the default recogniser, of what was measured.
 * The weaknesses are left empty.
 */
export function cardsOf(
  { lanes, usual, reference, sets }: AccuracyPlan,
  { rows, memoryMib }: AccuracyResults,
  machine: { day: string; processor: string; cores: number },
): Map<string, MeasuredCard> {
  const { detector: usualDetector } = lanes.find(({ name }) => name === usual)!;
  const cards = new Map<string, MeasuredCard>();
  for (const { name: lane, model, detector, modelVersion, precision } of lanes) {
    if (lane === reference) continue;
    const own = rows.filter((row) => row.lane === lane);
    const card: ModelCard = {
      measured_on: machine.day,
      measured_by: "the authors of Faceline",
      lane,
      model_version: modelVersion,
      precision,
      processor: `${machine.processor}, ${machine.cores} cores`,
      cpu_ms_per_face: Number(own[0]!.cpuMs.toFixed(1)),
      memory_mib: memoryMib[lane] ?? 1,
      sets,
      conditions: own.map(({ set, condition, images, notEnrolled, rates }) => ({
        set,
        condition,
        images,
        not_enrolled: notEnrolled,
        rates,
      })),
      weaknesses: [],
    };
    const { falseMatchCurves } = own.find((row) => row.falseMatchCurves) ?? {};
    const curves = falseMatchCurves && { false_match_curves: falseMatchCurves };
    if (detector === usualDetector) cards.set(model, { ...card, ...curves });
    if (lane === usual || detector !== usualDetector) cards.set(detector, card);
  }
  return cards;
}

/** JSON with a line for each set, condition and weakness. */
export function cardText({ sets, conditions, weaknesses, ...fields }: MeasuredCard): string {
  const list = (name: string, items: readonly object[]) =>
    items.length === 0
      ? `  "${name}": []`
      : `  "${name}": [\n${items.map((item) => `    ${JSON.stringify(item)}`).join(",\n")}\n  ]`;
  const single = Object.entries(fields).map(([name, value]) => `  "${name}": ${JSON.stringify(value)}`);
  const lists = [list("sets", sets), list("conditions", conditions), list("weaknesses", weaknesses)];
  return `{\n${[...single, ...lists].join(",\n")}\n}\n`;
}

/**
 * Returns a sentence for each model whose card says something else than was measured: another version, a rate
 * outside the card's interval, or one image in twenty-five more or less without a face.
 */
export function cardDifferences(
  measured: ReadonlyMap<string, ModelCard>,
  known: ReadonlyMap<string, ModelCard>,
): string[] {
  return [...measured].flatMap(([name, card]) => {
    const old = known.get(name);
    if (old === undefined) return [`${name} has no card; --write writes it`];
    if (old.model_version !== card.model_version) return [`the card of ${name} is of another version`];
    return card.conditions.flatMap((now) => {
      const then = old.conditions.find(
        ({ set, condition }) => set === now.set && condition === now.condition,
      );
      if (then === undefined) return [`the card of ${name} lacks ${now.set}, ${now.condition}`];
      const off = rates.filter((rate) => !isWithin(now.rates?.[rate], then.rates?.[rate]));
      const enrolled = Math.abs(now.not_enrolled - then.not_enrolled) <= enrolledOffMax * now.images;
      const what = [...off, ...(enrolled ? [] : ["not_enrolled"])];
      return what.length === 0
        ? []
        : [`the card of ${name} differs in ${now.set}, ${now.condition}: ${what.join(", ")}`];
    });
  });
}

/** Compares rates that both have; where one has none, the images without a face tell the difference. */
const isWithin = (now: Rate | undefined, then: Rate | undefined): boolean =>
  now === undefined || then === undefined || (now.value >= then.low && now.value <= then.high);

const rates = ["fnmr_at_fmr_1_percent", "fnmr_at_fmr_0_1_percent", "fnmr", "fmr"] as const;
/** One of the 25 labelled photographs. */
const enrolledOffMax = 0.04;

/** `memoryMib` by lane. */
export type AccuracyResults = { rows: readonly AccuracyRow[]; memoryMib: Readonly<Record<string, number>> };
