import { type AccuracyPlan, type ByMetric, metrics, type Row, type Tally } from "./accuracy.ts";
import { table } from "./figures.ts";

/** What is better than what the service does comes first; then all of it. */
export function accuracyTables(plan: AccuracyPlan, rows: readonly Row[], across: ByMetric): string {
  const { cases, configurations, usual } = plan;
  const better = betterThan(usual, rows);
  const of = (configuration: string) => rows.filter((row) => row.configuration === configuration);
  const matrix = (cell: (row: Row) => string) =>
    table(
      ["configuration", ...cases.map(({ name }) => name)],
      configurations.map((name) => [name, ...of(name).map(cell)]),
    );
  return [
    better.length === 0 ? `Nothing is better than ${usual}.` : `Better than ${usual}: ${better.join("; ")}.`,
    ...plan.fallbacks.map((reason) => `Not in int8 here: ${reason}.`),
    `Faces found of ${plan.people.pictures} / verdicts right by cosine / by euclidean, of ${plan.people.pairs} pairs; of worse copies each pair both ways, ${2 * plan.people.pairs}:`,
    matrix((row) => `${row.detected} / ${row.cosine.right} / ${row.euclidean.right}`),
    "As it is; what lies between the same person and another, and what a decoded picture takes in one thread:",
    table(
      ["configuration", "cosine", "euclidean", "off the reference, mean / max", "median ms"],
      configurations.map((name) => marginsOf(of(name)[0]!)),
    ),
    "Equal error rate by cosine / by euclidean, % of the faces that are found:",
    matrix((row) => metrics.map((metric) => percent(row[metric].equalErrorRate)).join(" / ")),
    `The margin as it is, over what the service does on one machine or another (${servedOf(plan).join("; ")}), the two pictures in the same way and in any two:`,
    table(["metric", "the same way", "any two ways", "threshold"], margins(plan, rows, across)),
    ["Faces that were not found:", ...missedBy(rows)].join("\n"),
    ["The worse copies:", ...cases.slice(1).map(({ name, how }) => `- ${name}: ${how}`)].join("\n"),
  ].join("\n\n");
}

/** In which cases a configuration finds more faces, or is right more often: a clause for each such configuration. */
export function betterThan(usual: string, rows: readonly Row[]): string[] {
  const configurations = [...new Set(rows.map(({ configuration }) => configuration))];
  return configurations.flatMap((configuration) => {
    const cases = rows
      .filter((row) => row.configuration === configuration)
      .flatMap((row) => {
        const ours = rows.find((each) => each.configuration === usual && each.case === row.case)!;
        const figures = [
          [row.detected, ours.detected, "faces"],
          ...metrics.map((metric) => [row[metric].right, ours[metric].right, metric]),
        ] as [number, number, string][];
        const more = figures.filter(([theirs, ours]) => theirs > ours);
        return more.length === 0
          ? []
          : [`${row.case} ${more.map(([theirs, ours, what]) => `${what} +${theirs - ours}`).join(", ")}`];
      });
    return cases.length === 0 ? [] : [`${configuration} (${cases.join("; ")})`];
  });
}

/** What lies between the furthest of one person and the nearest of two, over all of these. */
export function gapOf(tallies: readonly Tally[]): Gap {
  return {
    sameMax: Math.max(...tallies.map(({ sameMax }) => sameMax ?? -Infinity)),
    differentMin: Math.min(...tallies.map(({ differentMin }) => differentMin ?? Infinity)),
  };
}

/** What is measured of it. */
function servedOf({ served, configurations }: AccuracyPlan): string[] {
  return served.filter((name) => configurations.includes(name));
}

function missedBy(rows: readonly Row[]): string[] {
  const missed = rows
    .filter(({ missed }) => missed.length > 0)
    .map((row) => `- ${row.configuration}, ${row.case}: ${row.missed.join(", ")}`);
  return missed.length === 0 ? ["- none"] : missed;
}

function margins(plan: AccuracyPlan, rows: readonly Row[], across: ByMetric): string[][] {
  const asIs = rows.filter(
    (row) => row.case === plan.cases[0]!.name && plan.served.includes(row.configuration),
  );
  return metrics.map((metric) => [
    metric,
    told(gapOf(asIs.map((row) => row[metric]))),
    told(gapOf([across[metric]])),
    `${plan.thresholds[metric]}`,
  ]);
}

function marginsOf(row: Row): string[] {
  const off = row.offReference;
  return [
    row.configuration,
    ...metrics.map((metric) => told(gapOf([row[metric]]))),
    off === null ? "–" : `${off.mean.toFixed(3)} / ${off.max.toFixed(3)}`,
    row.medianMs.toFixed(0),
  ];
}

function told({ sameMax, differentMin }: Gap): string {
  const middle = (sameMax + differentMin) / 2;
  return `${sameMax.toFixed(4)} to ${differentMin.toFixed(4)}, middle ${middle.toFixed(4)}`;
}

const percent = (share: number | null): string => (share === null ? "–" : (100 * share).toFixed(2));

export type Gap = { sameMax: number; differentMin: number };
