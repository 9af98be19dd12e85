import type { ModelCard } from "@faceline/contracts/http/model-card";
import { cardSummary } from "../../tester/card-summary.ts";
import { words } from "../../tester/words.ts";
import { element } from "./element.ts";

/** Returns what was measured of a model, to be shown below its choice. */
export function cardView(card: ModelCard | null): Node[] {
  if (card === null) return [element("p", {}, words.card.none)];
  const { sentence, head, rows, cost } = cardSummary(card);
  const cells = (tag: "th" | "td", texts: string[]) =>
    texts.map((text, index) =>
      index === 0 || tag === "th"
        ? element("th", { scope: tag === "th" ? "col" : "row" }, text)
        : element("td", {}, text),
    );
  const table = element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ...cells("th", head))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cells("td", row)))),
  );
  const wide = { class: "wide", tabindex: 0, role: "region", "aria-label": words.card.label };
  const weaknesses = card.weaknesses.map(({ text, source }) => element("li", {}, `${text} (${source})`));
  return [
    element("p", {}, sentence),
    element("div", wide, table),
    element("p", {}, cost),
    ...(weaknesses.length === 0 ? [] : [element("ul", {}, ...weaknesses)]),
  ];
}
