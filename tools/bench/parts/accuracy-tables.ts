import type { AccuracyPlan, AccuracyRow } from "@faceline/accuracy/messages";
import type { Rate } from "@faceline/contracts/http/model-card";
import { table } from "../report.ts";
import type { AccuracyResults } from "./cards.ts";

/**
 * Returns a sentence for each check that the usual lane fails on the first set, the labelled photographs.
 *
 * Without degradation every face must be found and every verdict be right. With it, at most one image, and
 * one verdict in a hundred, may be lost against the reference.
 */
export function failedChecks(
  { usual, reference, conditions, sets }: CheckedPlan,
  rows: readonly AccuracyRow[],
) {
  const rowOf = (lane: string, condition: string) =>
    rows.find((row) => row.lane === lane && row.condition === condition && row.set === sets[0]!.name)!;
  return conditions.flatMap(({ name }, index): string[] => {
    const [own, other] = [rowOf(usual, name), rowOf(reference, name)];
    const wrong = wrongShare(own);
    if (index === 0) {
      return [
        ...(own.notEnrolled > 0
          ? [`${usual} finds no face in ${own.notEnrolled} of ${own.images} images`]
          : []),
        ...(wrong > 0 ? [`${usual} is wrong about ${percent(wrong)}% of the pairs`] : []),
      ];
    }
    return [
      ...(own.notEnrolled > other.notEnrolled + 1
        ? [`${usual}, ${name}: ${own.notEnrolled} not enrolled, ${other.notEnrolled} in float`]
        : []),
      ...(wrong > wrongShare(other) + lostShareMax
        ? [`${usual}, ${name}: wrong about ${percent(wrong)}%, in float ${percent(wrongShare(other))}%`]
        : []),
    ];
  });
}

const lostShareMax = 0.01;

/** Rates of the pairs with a face in both images. */
function wrongShare({ rates }: AccuracyRow): number {
  if (rates === null) return 1;
  const { pairs_same, pairs_different, fnmr, fmr } = rates;
  return (pairs_same * fnmr.value + pairs_different * fmr.value) / (pairs_same + pairs_different);
}

/** A table for each set of images, then one of the detectors and one of the costs. */
export function accuracyTables(plan: AccuracyPlan, { rows, memoryMib }: AccuracyResults): string {
  const { lanes, usual, reference, conditions, sets, fallbacks, unpulled } = plan;
  const { model, detector } = lanes.find(({ name }) => name === usual)!;
  const served = lanes.filter(({ name }) => name !== reference);
  const recognisers = served.filter((lane) => lane.detector === detector);
  const detectors = served.filter((lane) => lane.model === model);
  const rowOf = (lane: string, set: string, condition: string) =>
    rows.find((row) => row.lane === lane && row.set === set && row.condition === condition)!;
  const ofSet = ({ name, source, images, people }: AccuracyPlan["sets"][number]) => [
    `**${name}**: ${images} images of ${people} people; ${source}. ${pairsText(rowOf(usual, name, conditions[0]!.name))}`,
    table(
      ["condition (not enrolled)", "model", "FNMR % at 1% FMR", "at 0.1% FMR", "FNMR %", "FMR %"],
      conditions.flatMap(({ name: condition }) =>
        recognisers.map((lane, index) => {
          const { images, notEnrolled, rates } = rowOf(lane.name, name, condition);
          return [
            index === 0 ? `${condition} (${notEnrolled} of ${images})` : "",
            lane.model,
            ...[rates?.fnmr_at_fmr_1_percent, rates?.fnmr_at_fmr_0_1_percent, rates?.fnmr, rates?.fmr].map(
              rateText,
            ),
          ];
        }),
      ),
    ),
  ];
  return [
    ...fallbacks.map((reason) => `Not in int8 here: ${reason}.`),
    ...unpulled.map((name) => `NOT MEASURED: ${name}, because it was not pulled.`),
    `Recognisers behind ${detector}, with 95% intervals over people:`,
    ...sets.flatMap(ofSet),
    "FNMR % at 0.1% FMR / FMR % at the threshold, against the mean embedding of several images of a person:",
    referencesTable(rows.filter(({ references }) => references.length > 0)),
    `Images without a face by detector, ${sets.map(({ name }) => name).join(" / ")}:`,
    table(
      ["detector", ...conditions.map(({ name }) => name)],
      detectors.map((lane) => [
        lane.detector,
        ...conditions.map(({ name: condition }) =>
          sets.map(({ name }) => rowOf(lane.name, name, condition).notEnrolled).join(" / "),
        ),
      ]),
    ),
    "CPU time of a decoded image with one face in one thread, and memory of a process with this lane alone:",
    table(
      ["lane", "CPU ms", "MiB"],
      served.map(({ name }) => [
        name,
        rowOf(name, sets[0]!.name, conditions[0]!.name).cpuMs.toFixed(1),
        `${memoryMib[name] ?? "–"}`,
      ]),
    ),
    ["Conditions:", ...conditions.slice(1).map(({ name, how }) => `- ${name}: ${how}`)].join("\n"),
  ].join("\n\n");
}

function referencesTable(rows: readonly AccuracyRow[]): string {
  const counts = rows[0]?.references.map(({ count }) => `${count}`) ?? [];
  return table(
    ["condition", "lane", "1 image", ...counts],
    rows.map(({ condition, lane, rates, references }) => [
      condition,
      lane,
      ...[rates, ...references.map((each) => each.rates)].map((each) =>
        each === null ? "–" : `${percent(each.fnmr_at_fmr_0_1_percent.value)} / ${percent(each.fmr.value)}`,
      ),
    ]),
  );
}

const pairsText = ({ rates }: AccuracyRow): string =>
  `${rates?.pairs_same ?? 0} pairs of one person and ${rates?.pairs_different ?? 0} of two as they are.`;

const percent = (share: number): string => {
  const value = 100 * share;
  return value === 0 ? "0" : value.toFixed(value < 1 ? 2 : 1);
};

const rateText = (rate: Rate | undefined): string =>
  rate === undefined ? "–" : `${percent(rate.value)} (${percent(rate.low)} to ${percent(rate.high)})`;

type CheckedPlan = Pick<AccuracyPlan, "usual" | "reference" | "conditions" | "sets">;
