import {
  countText,
  estimateText,
  markCells,
  markHeads,
  pointCells,
  pointHeads,
  pointsSentence,
  proposalSentence,
  sampleSentences,
} from "./format.ts";
import { percent } from "./percent.ts";
import type { LaneReport, MetricReport } from "./report.ts";

/** The report of a lane as lines for a terminal. */
export function textReport(report: LaneReport, title: string): string[] {
  return [
    title,
    "",
    ...sampleSentences(report).map((sentence) => `  ${sentence}`),
    ...report.metrics.flatMap((metric) => ["", ...metricLines(metric).map((line) => `  ${line}`)]),
  ];
}

function metricLines(report: MetricReport): string[] {
  const { metric, analysis, operatingPoints, proposals, marks, groups } = report;
  const { auc, dPrime, equalError } = analysis;
  return [
    metric,
    `  AUC ${estimateText(auc, 4)}, d' ${estimateText(dPrime, 2)}, equal error rate ${percent(equalError.rate)} at ${Number(equalError.threshold.toFixed(4))}`,
    ...(operatingPoints.length === 0
      ? []
      : [`  ${pointsSentence}`, ...tableLines([pointHeads, ...operatingPoints.map(pointCells)])]),
    ...tableLines([markHeads, ...marks.map(markCells)]),
    ...groups.flatMap(({ group, same, different, people, marks: own }) => [
      `  group ${group}: ${countText(same)} pairs of one person, ${countText(different)} of two people, ${countText(people)} people`,
      ...(own.length === 0
        ? ["    It lacks pairs of one kind, so it has no rates."]
        : tableLines(own.map(markCells)).map((line) => `  ${line}`)),
    ]),
    ...(metric === "euclidean_l2"
      ? ["  Its thresholds are those of cosine in another unit, sqrt(2 * cosine)."]
      : proposals.map((proposal) => `  ${proposalSentence(proposal, report)}`)),
  ];
}

function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ")}`.trimEnd(),
  );
}
