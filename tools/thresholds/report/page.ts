import { reportPage } from "@faceline/runtime/design/report-page";
import { escapeXml } from "@faceline/runtime/plot/svg";
import {
  estimateText,
  markCells,
  markHeads,
  percent,
  pointCells,
  pointHeads,
  pointsSentence,
  proposalSentence,
  sampleSentences,
} from "./format.ts";
import { lanePlots } from "./plots.ts";
import { type LaneReport, type MetricReport, ratesAt, type ThresholdRow } from "./report.ts";

/** Returns the report as one HTML file, without names or contents of the images. `title` names the CSV. */
export async function htmlReport(reports: readonly LaneReport[], title: string): Promise<string> {
  return reportPage(
    title,
    `<p>A pair matches if its distance is not above the threshold. FMR: the share of pairs of two people that match.
FNMR: the share of pairs of one person that do not. In brackets: 95 % confidence intervals, which resample
people.</p>
${reports.map(laneSection).join("\n")}`,
  );
}

const laneSection = (report: LaneReport): string => `<section>
<h2>${escapeXml(report.lane)}</h2>
<ul>
${sampleSentences(report)
  .map((sentence) => `<li>${escapeXml(sentence)}</li>`)
  .join("\n")}
</ul>
${report.metrics.map(metricSection).join("\n")}
<div class="plots">
${lanePlots(report)
  .map((svg) => `<figure>${svg}</figure>`)
  .join("\n")}
</div>
</section>`;

function metricSection(report: MetricReport): string {
  const { metric, analysis, operatingPoints, proposals, marks, groups } = report;
  const { auc, dPrime, equalError } = analysis;
  const sentences =
    metric === "euclidean_l2"
      ? ["Its thresholds are those of cosine in another unit, sqrt(2 * cosine)."]
      : proposals.map((proposal) => proposalSentence(proposal, report));
  return `<h3>${metric}</h3>
<p>AUC ${estimateText(auc, 4)}, d&#39; ${estimateText(dPrime, 2)}, equal error rate
${percent(equalError.rate)} at ${Number(equalError.threshold.toFixed(4))}.</p>
${operatingPoints.length === 0 ? "" : `<p>${pointsSentence}</p>${table(pointHeads, operatingPoints.map(pointCells))}`}
${markTable(marks.map((mark) => ["all", mark]))}
${groups.length === 0 ? "" : markTable(groups.flatMap(({ group, marks: own }) => own.map((mark) => [group, mark] as const)))}
<ul>${sentences.map((sentence) => `<li>${escapeXml(sentence)}</li>`).join("\n")}</ul>
${curveTable(report)}`;
}

/** The values of the plots. */
function curveTable({ metric, analysis }: MetricReport): string {
  const rows = analysis.curve.thresholds(curveRows).map((threshold): [string, ThresholdRow] => {
    const rounded = Number(threshold.toFixed(4));
    return ["all", { name: "", threshold: rounded, ...ratesAt(analysis, rounded) }];
  });
  return `<details><summary>Rates by ${metric} threshold</summary>${markTable(rows)}</details>`;
}

const markTable = (rows: readonly (readonly [group: string, row: ThresholdRow])[]): string =>
  table(
    ["pairs", ...markHeads],
    rows.map(([group, row]) => [group, ...markCells(row)]),
  );

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string => {
  const row = (cells: readonly string[], open: string, close: string) =>
    `<tr>${cells.map((cell) => `${open}${escapeXml(cell)}${close}`).join("")}</tr>`;
  return `<div class="wide" tabindex="0"><table>
<thead>${row(heads, '<th scope="col">', "</th>")}</thead>
<tbody>
${rows.map((cells) => row(cells, "<td>", "</td>")).join("\n")}
</tbody></table></div>`;
};

const curveRows = 20;
