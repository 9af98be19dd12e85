/**
 * A page answers one question of an operator: a dashboard of Grafana, and a console page of Prometheus. It
 * is a folder-safe name, rows of panels, and nothing that only one of the two can show.
 */
export type Page = {
  /** Name of its files: `batching` → `batching.json`, `batching.html`. */
  name: string;
  /** Also the heading of its section in docs/operating/dashboards.md. */
  title: string;
  rows: { title: string; panels: Panel[] }[];
};

/**
 * Expressions may hold `$lane` and `$instance`, regular expressions of what was chosen on the page, and
 * `$__rate_interval`, which is at least four scrapes long.
 */
export type Panel = Lines | Figure | Table;

/** Series over time. Several queries share one axis and unit. */
type Lines = Described & {
  kind: "lines" | "stacked";
  unit: Unit;
  queries: Query[];
  /** From where on a value is a reason to act; drawn as lines. */
  thresholds?: Thresholds;
};

/** One value now. */
type Figure = Described & { kind: "figure"; unit: Unit; expr: string; thresholds?: Thresholds };

/** Values now: a row for each combination of `labels`, a column for each query. */
type Table = Described & {
  kind: "table";
  labels: string[];
  columns: { title: string; unit: Unit; expr: string }[];
};

type Described = {
  title: string;
  /** The question that the panel answers, and how to read it. */
  question: string;
  /** Alert whose runbook entry to read next; without it, the page's own section. */
  runbook?: string;
  /** True where a service that is well has no series to show. */
  emptyWhenWell?: true;
};

/** `legend`: `{{lane}}` stands for the label's value. */
export type Query = { expr: string; legend: string };

/** `alarmAt` below `warnAt`: small values are the bad ones. */
export type Thresholds = { warnAt: number; alarmAt: number };

/** Seconds, events a second, a share from 0 to 1, bytes, or a plain number. */
export type Unit = "s" | "perSecond" | "share" | "bytes" | "number";

/** All expressions of a panel. */
export function expressionsOf(panel: Panel): string[] {
  switch (panel.kind) {
    case "lines":
    case "stacked":
      return panel.queries.map(({ expr }) => expr);
    case "figure":
      return [panel.expr];
    case "table":
      return panel.columns.map(({ expr }) => expr);
  }
}

/** What of `$lane` and `$instance` the expressions of a page use. */
export function variablesOf({ rows }: Page): ("lane" | "instance")[] {
  const expressions = rows.flatMap(({ panels }) => panels.flatMap(expressionsOf)).join("\n");
  return (["lane", "instance"] as const).filter((name) => expressions.includes(`$${name}`));
}

/** How many figures, or charts, of a row stand side by side in a wide window, so that no line has a gap. */
export function columnsOf(row: readonly Panel[], kind: "figures" | "charts"): number {
  const count = row.filter((panel) => kindOf(panel) === kind).length;
  const [most, fewer] = kind === "figures" ? [6, 4] : [3, 2];
  return Math.min(count, count % most === 0 ? most : fewer);
}

/** A table has the whole width. */
export function kindOf({ kind }: Panel): "figures" | "charts" | "table" {
  if (kind === "table") return kind;
  return kind === "figure" ? "figures" : "charts";
}

/** The anchor of a heading in a document of docs/operating. */
export const guideAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");
