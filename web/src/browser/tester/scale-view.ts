import { scaleEnd } from "../../tester/distance-scale.ts";
import { formatDistance } from "../../tester/numbers.ts";
import { words } from "../../tester/words.ts";
import { fill } from "../../words/fill.ts";
import type { ScaleFacts } from "./answer.ts";
import { element } from "./element.ts";

/** The scale of the distances, with the threshold as a handle on it. */
export type ScaleView = {
  root: HTMLElement;
  /** What it was made for, apart from the threshold. */
  key: string;
  /** The distance at its right end. */
  end: number;
  /** Shows another threshold. */
  show(threshold: number): void;
};

export function scaleView({ key, distances, threshold, own, max, moved }: ScaleOptions): ScaleView {
  const end = scaleEnd(distances, { own, chosen: threshold });
  const step = end / rangeSteps;
  /** Gives an element its place; the style sheet keeps it within the scale. */
  const put = <Placed extends HTMLElement>(placed: Placed, distance: number): Placed => {
    placed.style.setProperty("--at", String(Math.min(1, distance / end)));
    return placed;
  };
  const label = {
    class: "range",
    type: "range",
    min: 0,
    max: end,
    step,
    "aria-label": words.threshold.label,
  };
  const range = element("input", label);
  const dots = distances.map((distance) => put(element("span", { class: "dot" }), distance));
  const track = element("div", { class: "track" }, range, ...dots);
  const value = element("strong");
  const backText = fill(words.threshold.backTo, { own: formatDistance(own) });
  const back = element("button", { type: "button", class: "link" }, backText);
  const of = (text: string, ...others: (Node | string)[]) => element("p", {}, `${text} `, ...others);
  const below = of(words.threshold.label, value, " ", back);
  // If there are several, their numbers are in a table.
  const above = distances.map((distance) =>
    put(of(words.threshold.distance, element("strong", {}, formatDistance(distance))), distance),
  );
  back.addEventListener("click", () => {
    range.focus();
    moved(undefined);
  });
  // The scale may extend beyond the largest threshold: the handle stops there.
  range.addEventListener("input", () => moved(Math.min(max, Number(Number(range.value).toPrecision(3)))));
  const show = (current: number): void => {
    // A handle that is being moved is not reset to the rounded value.
    if (Math.abs(Number(range.value) - current) > step / 2) range.value = String(current);
    value.textContent = formatDistance(current);
    range.setAttribute("aria-valuetext", value.textContent);
    put(track, current);
    put(below, current);
    back.hidden = current === own;
  };
  show(threshold);
  const parts = [...(above.length === 1 ? above : []), track, below];
  return { root: element("div", { class: "scale" }, ...parts), key, end, show };
}

const rangeSteps = 200;

type ScaleOptions = ScaleFacts & { key: string; distances: number[]; threshold: number };
