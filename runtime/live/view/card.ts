import { node, type ViewNode } from "./node.ts";

/** A part of the page with a heading of its own, or of a section that has one. */
export function card({ heading, words, level = "h2" }: Card, ...content: ViewNode[]): ViewNode {
  const text = words === undefined ? undefined : node("p", {}, words);
  return node("section", { class: "card" }, node(level, {}, heading), text, ...content);
}

type Card = { heading: string; words?: string; level?: "h2" | "h3" };

/** The numbers of a chart, folded up. */
export function detailsTable(summary: string, columns: string[], rows: string[][]): ViewNode {
  return node("details", {}, node("summary", {}, summary), table(summary, columns, rows));
}

/** A table that scrolls sideways on its own where it is wider than the page. */
export function table(caption: string, columns: string[], rows: (ViewNode | string)[][]): ViewNode {
  return node(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    node(
      "table",
      { class: "grid" },
      node("thead", {}, node("tr", {}, ...columns.map((each) => node("th", { scope: "col" }, each)))),
      node(
        "tbody",
        {},
        ...rows.map(([first = "", ...others]) =>
          node("tr", {}, node("th", { scope: "row" }, first), ...others.map((each) => node("td", {}, each))),
        ),
      ),
    ),
  );
}
