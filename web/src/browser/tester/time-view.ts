import { waterfall } from "../../tester/waterfall.ts";
import { drawing, element } from "./element.ts";

/** Returns a table, with a note, of where the time of a call went, each part with its bar. */
export function timeView(serverTiming: string, measuredMs: number | undefined): HTMLElement {
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
    element("th", { scope: "row" }, "Total"),
    element("td", { class: "number" }, formatMs(totalMs)),
    element("td", {}),
  );
  const note = "The pictures of a call may wait for each other: a CPU worker computes one at a time.";
  return element(
    "div",
    {},
    element("table", {}, element("tbody", {}, ...rows, total)),
    element("p", { class: "note-of-time" }, note),
  );
}

const formatMs = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
