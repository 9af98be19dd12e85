import { formatMs } from "../../tester/numbers.ts";
import { waterfall } from "../../tester/waterfall.ts";
import { words } from "../../tester/words.ts";
import { drawing, element } from "./element.ts";

/** Returns how long a request took, and a table of its parts with a note, each part with its bar. */
export function timeView(serverTiming: string, measuredMs: number | undefined): TimeView {
  const bars = waterfall(serverTiming, measuredMs);
  const totalMs = bars.reduce((sum, { ms }) => sum + ms, 0);
  const rows = bars.map(({ label, name, ms, startMs }) => {
    const bar = drawing(
      "svg",
      { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": true },
      drawing("rect", {
        x: (100 * startMs) / totalMs,
        y: 1,
        width: Math.max((100 * ms) / totalMs, 0.5),
        height: 6,
      }),
    );
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, label, ...(name === undefined ? [] : [element("code", {}, name)])),
      element("td", { class: "number" }, formatMs(ms)),
      element("td", { class: "bar-cell" }, bar),
    );
  });
  const total = element(
    "tr",
    { class: "total" },
    element("th", { scope: "row" }, words.time.sum),
    element("td", { class: "number" }, formatMs(totalMs)),
    element("td", {}),
  );
  const table = element(
    "div",
    {},
    element("table", {}, element("tbody", {}, ...rows, total)),
    element("p", { class: "note-of-time" }, words.time.note),
  );
  return { table, totalMs };
}

type TimeView = { table: HTMLElement; totalMs: number };
