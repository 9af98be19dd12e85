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

/**
 * The report as one HTML file: no scripts, nothing from elsewhere, and of the pictures neither names nor
 * contents. `title` names the CSV.
 */
export function htmlReport(reports: readonly LaneReport[], title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>A pair matches if its distance is not above the threshold. FMR: the share of pairs of two people that match.
FNMR: the share of pairs of one person that do not. In brackets: 95 % confidence intervals, which resample
people.</p>
${reports.map(laneSection).join("\n")}
</main>
</body>
</html>
`;
}

const laneSection = (report: LaneReport): string => `<section>
<h2>${escaped(report.lane)}</h2>
<ul>
${sampleSentences(report)
  .map((sentence) => `<li>${escaped(sentence)}</li>`)
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
<ul>${sentences.map((sentence) => `<li>${escaped(sentence)}</li>`).join("\n")}</ul>
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
    `<tr>${cells.map((cell) => `${open}${escaped(cell)}${close}`).join("")}</tr>`;
  return `<div class="wide" tabindex="0"><table>
<thead>${row(heads, '<th scope="col">', "</th>")}</thead>
<tbody>
${rows.map((cells) => row(cells, "<td>", "</td>")).join("\n")}
</tbody></table></div>`;
};

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const curveRows = 20;

const style = `
:root{color-scheme:light dark;--ink:#1f2328;--line:#d8dee4;--ground:#fff}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--line:#3d444d;--ground:#0d1117}}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,"Helvetica Neue",Arial,sans-serif}
main{max-width:62rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem}h2{border-top:1px solid var(--line);padding-top:1rem;margin-top:2rem}h3{margin:1.5rem 0 0}
ul{padding-left:1.2rem}
.wide{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;font-weight:normal;padding:.3rem .9rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}
thead th{font-weight:600}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:1rem;margin-top:1.5rem}
figure{margin:0;break-inside:avoid}svg{max-width:100%;height:auto;display:block}
@media print{main{max-width:none;padding:0}section{break-before:page}}
`;
