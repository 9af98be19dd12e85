import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  columnsOf,
  kindOf,
  type Page,
  type Panel,
  type Thresholds,
  type Unit,
  variablesOf,
} from "../panels/panel.ts";

// Console templates of Prometheus: https://prometheus.io/docs/visualization/consoles/. Prometheus expands
// them by Go's html/template, and serves jQuery, D3, Rickshaw and PromConsole for them.

/** Returns the console page of a page. */
export function consolePage(page: Page, pages: readonly Page[]): string {
  const panels = page.rows.flatMap((row) => row.panels);
  const rows = page.rows.map(({ title, panels: inRow }) => {
    const grid = (kind: "figures" | "charts", some: Panel[]) =>
      some.length === 0
        ? ""
        : `<div class="row ${kind}" style="--columns: ${columnsOf(inRow, kind)}">\n${some.map((each) => panelHtml(each, panels.indexOf(each), page)).join("\n")}\n</div>\n`;
    const figures = inRow.filter((panel) => kindOf(panel) === "figures");
    const others = inRow.filter((panel) => kindOf(panel) !== "figures");
    return `<h2>${escapeHtml(title)}</h2>\n${grid("figures", figures)}${grid("charts", others)}`;
  });
  const links = pages.map(({ name, title }) => {
    const current = name === page.name ? ' aria-current="page"' : "";
    return `<a href="${name}.html"${current}>${escapeHtml(title)}</a>`;
  });
  return `{{ template "faceline_head" . }}
<title>${escapeHtml(page.title)} – Faceline</title>
<header>
<nav>${links.join(" ")}</nav>
<h1>${escapeHtml(page.title)}</h1>
<form onchange="this.submit()">
${selections(page)}
{{ template "faceline_range" . }}
</form>
</header>
<main>
${rows.join("")}</main>
<script>
void drawPage(${JSON.stringify(panels.map(drawnPanel)).replaceAll("<", String.raw`\u003c`)}, {{ pathPrefix }}, {
  lane: {{ .Params.lane }},
  instance: {{ .Params.instance }},
  range: {{ .Params.range }},
  end: {{ .Params.end }},
});
</script>
`;
}

/** The choices that the page's expressions depend on. */
const selections = (page: Page): string =>
  variablesOf(page)
    .map((variable) => `{{ template "faceline_${variable}" . }}`)
    .join("\n");

/** Returns the library of templates that all pages share, with their style and script. */
export function consoleLibrary(): string {
  const [css, js] = ["console.css", "console.js"].map((file) =>
    readFileSync(join(import.meta.dirname, file), "utf8"),
  );
  const assets = "{{ pathPrefix }}/classic/static";
  return `{{ define "faceline_head" }}<!doctype html>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${assets}/rickshaw/rickshaw.min.css">
<script>var PATH_PREFIX = {{ pathPrefix }};</script>
<script src="${assets}/jquery/jquery.min.js"></script>
<script src="${assets}/d3/d3.js"></script>
<script src="${assets}/rickshaw/rickshaw.min.js"></script>
<script src="${assets}/js/prom_console.js"></script>
<style>
${css}</style>
<script>
${js}</script>{{ end }}

{{ define "faceline_lane" }}${select("lane", "Lane", "faceline_workers")}{{ end }}

{{ define "faceline_instance" }}${select("instance", "Process", "nodejs_eventloop_delay_p99_seconds")}{{ end }}

{{ define "faceline_range" }}<label>Range <select name="range">${["15m", "5m", "1h", "6h", "1d"].map((each) => option(`"${each}"`, "range")).join("")}</select></label>
<label>until <input type="datetime-local" name="end" value="{{ .Params.end }}" title="Empty: now, refreshed"></label>{{ end }}
`;
}

/** A choice of the label's values, as Prometheus finds them when it serves the page. */
const select = (label: string, title: string, metric: string): string =>
  `<label>${title} <select name="${label}"><option value="">all</option>` +
  `{{ range query "count by (${label}) (${metric})" | sortByLabel "${label}" }}${option(`.Labels.${label}`, label)}{{ end }}` +
  "</select></label>";

/** `value`: an expression of the template. */
const option = (value: string, parameter: string): string =>
  `<option{{ if eq $.Params.${parameter} ${value} }} selected{{ end }}>{{ ${value} }}</option>`;

function panelHtml(panel: Panel, index: number, page: Page): string {
  const { title, question, kind, runbook } = panel;
  const hints: string[] = [];
  if (kind !== "table" && panel.thresholds !== undefined) hints.push(limits(panel.thresholds, panel.unit));
  if (runbook !== undefined && runbook !== page.title) hints.push(`Runbook: ${runbook}.`);
  const slot = { lines: "graph", stacked: "graph", figure: "value", table: "values" }[kind];
  const empty = panel.emptyWhenWell === true ? " empty-when-well" : "";
  const text = `<p>${escapeHtml([question, ...hints].join(" "))}</p>\n`;
  const drawn = `<div class="${slot}" id="panel-${index}"></div>\n`;
  return `<section class="panel ${kind}${empty}">
<h3>${escapeHtml(title)}</h3>
${kind === "figure" ? `${drawn}${text}` : `${text}${drawn}`}</section>`;
}

function limits({ warnAt, alarmAt }: Thresholds, unit: Unit): string {
  const show = (value: number): string =>
    unit === "share"
      ? `${Math.round(value * 1_000) / 10} %`
      : unit === "s"
        ? value < 1
          ? `${value * 1_000} ms`
          : `${value} s`
        : `${value}`;
  const direction = alarmAt > warnAt ? "from" : "below";
  if (warnAt === alarmAt) return `Red ${direction} ${show(alarmAt)}.`;
  return `Amber ${direction} ${show(warnAt)}, red ${direction} ${show(alarmAt)}.`;
}

/**
 * What the script needs of a panel. A template must not hold the braces of legends, so a label is in square
 * brackets.
 */
function drawnPanel(panel: Panel): object {
  switch (panel.kind) {
    case "lines":
    case "stacked": {
      const queries = panel.queries.map(({ expr, legend }) => ({
        expr,
        legend: legend.replaceAll(/\{\{(\w+)\}\}/g, "[$1]"),
      }));
      return { kind: panel.kind, unit: panel.unit, queries };
    }
    case "figure":
      return { kind: panel.kind, unit: panel.unit, expr: panel.expr, thresholds: panel.thresholds };
    case "table":
      return { kind: panel.kind, labels: panel.labels, columns: panel.columns };
  }
}

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
