import { withoutFaces } from "@faceline/testing/faces";
import { IpcChild } from "../observe/ipc-child.ts";
import type { Bench, PartResult } from "../part.ts";
import { table } from "../report.ts";

/**
 * How often the engine is right over labelled photographs and degraded copies of them, in each configuration.
 * The engine's own program measures it, case by case.
 */
export async function accuracy({ servers, quick, steps, say }: AccuracyBench): Promise<PartResult> {
  if (withoutFaces) {
    say(`Skipped, nothing is measured: ${withoutFaces}.`);
    return { plan: null, results: null, tables: `Skipped: ${withoutFaces}.` };
  }
  const file = "tools/accuracy/accuracy.bench.ts";
  const env = { MODELS_DIR: servers.models };
  await using child = new IpcChild("the accuracy program", file, [quick ? "quick" : "all"], { env });
  const plan = (await steps.run("the networks", () => child.receive())) as AccuracyPlan;
  const rows: AccuracyRow[] = [];
  for (const { name } of plan.cases) {
    rows.push(
      ...(await steps.run(name, async (note) => {
        const answer = (await child.request({ case: name })) as Omit<AccuracyRow, "case">[];
        const rows = answer.map((row) => ({ ...row, case: name }));
        const { detected, of, cosine, euclidean } = rows.find((row) => row.configuration === plan.usual)!;
        note(`${plan.usual}: ${detected} of ${of}, ${cosine.right} and ${euclidean.right} of ${cosine.of}`);
        return rows;
      })),
    );
  }
  const across = (await child.request({ across: true })) as ByMetric;
  const failed = failedChecks(plan, rows);
  const closing =
    failed.length === 0
      ? `✓ ${plan.usual}: all right without degradation, and at most one in a hundred behind ${plan.reference} with it.`
      : ["Checks that failed:", ...failed.map((sentence) => `✗ ${sentence}`)].join("\n");
  return {
    plan,
    results: { rows, across },
    tables: [accuracyTables(plan, rows, across), closing].join("\n\n"),
    failedChecks: failed,
  };
}

/** Less than a whole benchmark, so that other commands can print the tables. */
type AccuracyBench = Pick<Bench, "quick" | "steps" | "say"> & { servers: { models: string } };

/**
 * Returns a sentence for each check that the usual configuration fails.
 *
 * Without degradation every face must be found and every verdict be right. With it, at most one in a hundred
 * may be lost against the reference, in faces and in verdicts: of 25 pictures that is no face at all.
 */
export function failedChecks(
  { usual, reference, cases }: CheckedPlan,
  rows: readonly AccuracyRow[],
): string[] {
  const rowOf = (name: string, configuration: string) =>
    rows.find((row) => row.case === name && row.configuration === configuration)!;
  return cases.flatMap(({ name }, i) => {
    const [own, other] = [rowOf(name, usual), rowOf(name, reference)];
    return countsOf(own).flatMap(({ what, count, of }, k) => {
      const theirs = countsOf(other)[k]!.count;
      const failed = i === 0 ? count < of : theirs - count > lostShareMax * of;
      const beside = i === 0 ? "" : `, ${theirs} by the reference`;
      return failed ? [`${usual}, ${name}: ${count} of ${of} ${what}${beside}`] : [];
    });
  });
}

/** Faces found, and verdicts right by each metric. */
const countsOf = (row: AccuracyRow) => [
  { what: "faces found", count: row.detected, of: row.of },
  ...metrics.map((metric) => ({ what: `right by ${metric}`, count: row[metric].right, of: row[metric].of })),
];

const lostShareMax = 0.01;

/** Configurations that are better than the usual one come first, then all of them. */
function accuracyTables(plan: AccuracyPlan, rows: readonly AccuracyRow[], across: ByMetric): string {
  const { cases, configurations, usual } = plan;
  const better = betterThan(usual, rows);
  const rowsOf = (configuration: string) => rows.filter((row) => row.configuration === configuration);
  const matrix = (cell: (row: AccuracyRow) => string) =>
    table(
      ["configuration", ...cases.map(({ name }) => name)],
      configurations.map((name) => [name, ...rowsOf(name).map(cell)]),
    );
  return [
    better.length === 0 ? `Nothing is better than ${usual}.` : `Better than ${usual}: ${better.join("; ")}.`,
    ...plan.fallbacks.map((reason) => `Not in int8 here: ${reason}.`),
    ...plan.unpulled.map((name) => `NOT MEASURED: ${name}, because it was not pulled.`),
    `Faces found of ${plan.people.pictures} / verdicts right by cosine / by euclidean, of ${plan.people.pairs} pairs; with degradation each pair both ways, ${2 * plan.people.pairs}:`,
    matrix((row) => `${row.detected} / ${row.cosine.right} / ${row.euclidean.right}`),
    "Without degradation: the gap between the same person and different ones, and the time of a decoded picture in one thread:",
    table(
      ["configuration", "cosine", "euclidean", "off the reference, mean / max", "median ms"],
      configurations.map((name) => gapRow(rowsOf(name)[0]!)),
    ),
    "Equal error rate by cosine / by euclidean, % of the faces that were found:",
    matrix((row) => metrics.map((metric) => percent(row[metric].equalErrorRate)).join(" / ")),
    `The gap without degradation, over what the service runs on one machine or another (${plan.served
      .filter((name) => configurations.includes(name))
      .join("; ")}), both pictures by the same configuration and by any two:`,
    table(["metric", "the same", "any two", "threshold"], gapRows(plan, rows, across)),
    ["Faces that were not found:", ...missedFaces(rows)].join("\n"),
    ["Degradations:", ...cases.slice(1).map(({ name, how }) => `- ${name}: ${how}`)].join("\n"),
  ].join("\n\n");
}

/** Returns a clause for each configuration that finds more faces or is right more often in some case. */
export function betterThan(usual: string, rows: readonly AccuracyRow[]): string[] {
  const configurations = [...new Set(rows.map(({ configuration }) => configuration))];
  return configurations.flatMap((configuration) => {
    const cases = rows
      .filter((row) => row.configuration === configuration)
      .flatMap((row) => {
        const own = rows.find((each) => each.configuration === usual && each.case === row.case)!;
        const more = [
          { what: "faces", by: row.detected - own.detected },
          ...metrics.map((metric) => ({ what: metric, by: row[metric].right - own[metric].right })),
        ].filter(({ by }) => by > 0);
        return more.length === 0
          ? []
          : [`${row.case} ${more.map(({ what, by }) => `${what} +${by}`).join(", ")}`];
      });
    return cases.length === 0 ? [] : [`${configuration} (${cases.join("; ")})`];
  });
}

/** The largest distance of one person and the smallest of two different ones, over all of these. */
export function gapOf(tallies: readonly AccuracyTally[]): Gap {
  return {
    sameMax: Math.max(...tallies.map(({ sameMax }) => sameMax ?? -Infinity)),
    differentMin: Math.min(...tallies.map(({ differentMin }) => differentMin ?? Infinity)),
  };
}

function missedFaces(rows: readonly AccuracyRow[]): string[] {
  const missed = rows
    .filter(({ missed }) => missed.length > 0)
    .map((row) => `- ${row.configuration}, ${row.case}: ${row.missed.join(", ")}`);
  return missed.length === 0 ? ["- none"] : missed;
}

function gapRows(plan: AccuracyPlan, rows: readonly AccuracyRow[], across: ByMetric): string[][] {
  const served = rows.filter(
    (row) => row.case === plan.cases[0]!.name && plan.served.includes(row.configuration),
  );
  return metrics.map((metric) => [
    metric,
    gapText(gapOf(served.map((row) => row[metric]))),
    gapText(gapOf([across[metric]])),
    `${plan.thresholds[metric]}`,
  ]);
}

function gapRow(row: AccuracyRow): string[] {
  const off = row.offReference;
  return [
    row.configuration,
    ...metrics.map((metric) => gapText(gapOf([row[metric]]))),
    off === null ? "–" : `${off.mean.toFixed(3)} / ${off.max.toFixed(3)}`,
    row.medianMs.toFixed(0),
  ];
}

function gapText({ sameMax, differentMin }: Gap): string {
  const middle = (sameMax + differentMin) / 2;
  return `${sameMax.toFixed(4)} to ${differentMin.toFixed(4)}, middle ${middle.toFixed(4)}`;
}

const percent = (share: number | null): string => (share === null ? "–" : (100 * share).toFixed(2));

const metrics = ["cosine", "euclidean"] as const;

type Gap = { sameMax: number; differentMin: number };

/** First message of the accuracy program. */
type AccuracyPlan = {
  configurations: string[];
  /** Float, the detector's full size alone. */
  reference: string;
  /** Configuration of the service on this machine for a call that wants one face. */
  usual: string;
  /** Configurations of the service on some machine for some call. */
  served: string[];
  /** Why networks run in float that were to run in int8. */
  fallbacks: string[];
  /** Models whose weights are not here. */
  unpulled: string[];
  thresholds: Record<(typeof metrics)[number], number>;
  /** Undegraded first, then each degradation and how it is made. */
  cases: { name: string; how: string }[];
  people: { pictures: number; pairs: number };
};

type CheckedPlan = Pick<AccuracyPlan, "usual" | "reference" | "cases">;

/** One case in one configuration. */
export type AccuracyRow = ByMetric & {
  case: string;
  configuration: string;
  /** Pictures. */
  of: number;
  detected: number;
  missed: string[];
  /** Euclidean distance to the reference's embeddings of the same pictures. */
  offReference: { mean: number; max: number } | null;
  /** Time of a decoded picture, in one thread. */
  medianMs: number;
};

type ByMetric = Record<(typeof metrics)[number], AccuracyTally>;

/** A pair without a face is not right and has no distance. Null: no pair has one. */
type AccuracyTally = {
  right: number;
  of: number;
  sameMax: number | null;
  differentMin: number | null;
  equalErrorRate: number | null;
};
