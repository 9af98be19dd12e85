import type { ModelCard } from "@faceline/contracts/http/model-card";
import { cardSummary } from "../../tester/card-summary.ts";
import { words } from "../../tester/words.ts";
import { element, wideTable } from "./element.ts";

/** Returns what was measured of a model, to be shown below its choice. */
export function cardView(card: ModelCard | null): Node[] {
  if (card === null) return [element("p", {}, words.card.none)];
  const { sentence, head, rows, cost } = cardSummary(card);
  const tableRows = rows.map(([first = "", ...rest]) =>
    element("tr", {}, element("th", { scope: "row" }, first), ...rest.map((text) => element("td", {}, text))),
  );
  const weaknesses = card.weaknesses.map(({ text, source }) => element("li", {}, `${text} (${source})`));
  return [
    element("p", {}, sentence),
    wideTable(words.card.label, head, tableRows),
    element("p", {}, cost),
    ...(weaknesses.length === 0 ? [] : [element("ul", {}, ...weaknesses)]),
  ];
}
