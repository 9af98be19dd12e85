import { node, type ViewNode } from "./node.ts";

/**
 * A table with a bar in each row: a chart for readers who see it, and a table for all others. A bar is as
 * long as its value compared with the largest, or with its own limit.
 */
export function barTable({ caption, columns, rows, isWordy = false }: BarTable): ViewNode {
  const most = Math.max(...rows.map(({ value }) => value), 0);
  const body = rows.map(({ name, note, value, max = most, shown }) =>
    node(
      "tr",
      {},
      node(
        "th",
        { scope: "row" },
        name,
        note === undefined ? undefined : node("span", { class: "dim" }, note),
      ),
      node("td", { class: "bar" }, bar(value / Math.max(max, 1e-9))),
      ...shown.map((each) => node("td", { class: "value" }, each)),
    ),
  );
  return node(
    "table",
    { class: isWordy ? "bars wordy" : "bars" },
    node("caption", {}, caption),
    node(
      "thead",
      {},
      node(
        "tr",
        {},
        node("th", { scope: "col" }, columns[0]),
        node("td", {}),
        ...columns.slice(1).map((each) => node("th", { scope: "col", class: "value" }, each)),
      ),
    ),
    node("tbody", {}, ...body),
  );
}

const bar = (share: number): ViewNode =>
  node(
    "svg",
    { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    node("rect", { width: 100, height: 10, class: "track" }),
    node("rect", { width: 100 * Math.min(1, Math.max(0, share)), height: 10 }),
  );

type BarTable = {
  caption: string;
  /** Headings of the names and of the shown values. */
  columns: [string, ...string[]];
  rows: BarRow[];
  /** Names are long: on a narrow screen they stand above their bars. */
  isWordy?: boolean;
};

/** `note`: words below the name. `max`: the value of a full bar. */
type BarRow = { name: string; note?: string; value: number; max?: number; shown: string[] };
