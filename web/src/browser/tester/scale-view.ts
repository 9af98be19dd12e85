import { type DistanceScale, distanceScale } from "../../tester/distance-scale.ts";
import { type LabelledDistances, labelledErrors } from "../../tester/labelled-pairs.ts";
import { formatDistance } from "../../tester/numbers.ts";
import { words } from "../../tester/words.ts";
import { fill } from "../../words/fill.ts";
import type { ScaleFacts } from "./answer.ts";
import { drawing, element } from "./element.ts";

/** The scale of the distances, with the threshold and where labelled pairs fell. */
export type ScaleView = {
  root: HTMLElement;
  /** What it was made for, the threshold apart. */
  key: string;
  /** The distance at its right end. */
  end: number;
  /** Shows another threshold, and what it would do to the labelled pairs. */
  show(threshold: number): void;
};

export function scaleView({ key, distances, threshold, own, max, labelled, moved }: ScaleOptions): ScaleView {
  const scale = distanceScale(distances, { own, chosen: threshold }, labelled);
  const step = scale.end / rangeSteps;
  const svg = drawing("svg", { class: "scale", role: "img" });
  const range = element("input", { id: "moved-threshold", type: "range", min: 0, max: scale.end, step });
  const sentence = element("p", { class: "errors-of-labelled" });
  const value = element("output", { for: range.id });
  const back = element(
    "button",
    { type: "button", class: "plain" },
    fill(words.threshold.backTo, { own: formatDistance(own) }),
  );
  // It keeps its place, so that the handle stays under the pointer.
  back.addEventListener("click", () => {
    range.focus();
    moved(undefined);
  });
  // The scale may be longer than the largest threshold: the handle stops there.
  range.addEventListener("input", () => moved(Math.min(max, Number(Number(range.value).toPrecision(3)))));
  let current = threshold;
  const redraw = () => draw(svg, { ...scale, threshold: Math.min(1, current / scale.end) });
  const show = (next: number): void => {
    current = next;
    const shown = formatDistance(current);
    // A handle that is being moved is not set back to the rounded value.
    if (Math.abs(Number(range.value) - current) > step / 2) range.value = String(current);
    range.setAttribute("aria-valuetext", shown);
    value.textContent = shown;
    svg.setAttribute(
      "aria-label",
      fill(words.threshold.scale, {
        end: formatDistance(scale.end),
        distances: distances.map(formatDistance).join(", "),
        threshold: shown,
      }),
    );
    back.classList.toggle("invisible", current === own);
    sentence.replaceChildren(...errorWords(labelled, current));
    redraw();
  };
  new ResizeObserver(redraw).observe(svg);
  show(threshold);
  const label = element("label", { for: range.id }, words.threshold.label);
  const heading = element("div", { class: "threshold" }, label, value, back);
  const below = [heading, range, ...legend(labelled, scale), sentence];
  return {
    root: element("figure", { class: "scale-of-distance" }, svg, ...below),
    key,
    end: scale.end,
    show,
  };
}

function draw(svg: SVGSVGElement, { distances, threshold, same, different, ticks }: DistanceScale): void {
  const width = Math.max(svg.clientWidth, narrowestPx);
  const x = (share: number): number => edgePx + share * (width - 2 * edgePx);
  const line = (name: string, at: number, top: number, bottom: number) =>
    drawing("line", { class: name, x1: x(at), x2: x(at), y1: top, y2: bottom });
  svg.setAttribute("viewBox", `0 0 ${width} ${heightPx}`);
  svg.replaceChildren(
    ...same.map((at) => line("same", at, axisPx - 22, axisPx - 6)),
    ...different.map((at) => line("different", at, axisPx + 6, axisPx + 22)),
    drawing("line", { class: "axis", x1: edgePx, x2: width - edgePx, y1: axisPx, y2: axisPx }),
    ...ticks.flatMap(({ at, label }) => [
      line("tick", at, axisPx - 3, axisPx + 3),
      drawing("text", { class: "tick", x: x(at), y: heightPx - 6, "text-anchor": "middle" }, label),
    ]),
    line("threshold", threshold, axisPx - 34, axisPx + 28),
    labelText("threshold", words.threshold.threshold, x(threshold), axisPx - 40, width),
    ...distances.map((at) => drawing("circle", { class: "distance", cx: x(at), cy: axisPx, r: 7 })),
    ...(distances.length === 1 ? distanceLabel(x(distances[0]!), x(threshold), width) : []),
  );
}

/** Draws the label beside that of the threshold, or above it if they would overlap. */
function distanceLabel(at: number, thresholdAt: number, width: number): SVGElement[] {
  const y = Math.abs(at - thresholdAt) < labelWidthPx ? axisPx - 58 : axisPx - 40;
  return [
    drawing("line", { class: "leader", x1: at, x2: at, y1: y + 5, y2: axisPx - 8 }),
    labelText("distance", words.threshold.distance, at, y, width),
  ];
}

/** A label above its place, kept within the drawing. */
function labelText(name: string, text: string, at: number, y: number, width: number): SVGTextElement {
  const half = labelWidthPx / 2;
  return drawing(
    "text",
    { class: name, x: Math.min(Math.max(at, half), width - half), y, "text-anchor": "middle" },
    text,
  );
}

function legend(labelled: LabelledDistances | undefined, { differentBeyond }: DistanceScale): HTMLElement[] {
  if (labelled === undefined) return [];
  const { same, different } = labelled;
  const { samePairs, differentPairs, differentPairsBeyond } = words.threshold;
  const counts = { count: different.length, beyond: differentBeyond };
  const ofDifferent = fill(differentBeyond === 0 ? differentPairs : differentPairsBeyond, counts);
  return [
    element(
      "p",
      { class: "legend" },
      element("span", {}, fill(samePairs, { count: same.length })),
      element("span", { class: "of-different" }, ofDifferent),
    ),
  ];
}

function errorWords(labelled: LabelledDistances | undefined, threshold: number): (Node | string)[] {
  if (labelled === undefined) return [words.threshold.unknownPairs];
  const { falseMatches, differentPairs, falseNonMatches, samePairs } = labelledErrors(labelled, threshold);
  const { errors, of, measure } = words.threshold;
  const sentence = fill(errors, {
    threshold: formatDistance(threshold),
    falseMatches: fill(of, { part: falseMatches, all: differentPairs }),
    falseNonMatches: fill(of, { part: falseNonMatches, all: samePairs }),
  });
  return [
    ...sentence.split("*").map((part, index) => (index % 2 === 1 ? element("strong", {}, part) : part)),
    element("a", { href: "/docs/thresholds#choose-your-own" }, measure),
    ".",
  ];
}

const rangeSteps = 200;
const narrowestPx = 240;
const labelWidthPx = 72;
const heightPx = 124;
const axisPx = 76;
/** The range below has its thumb's middle as far from its ends. */
const edgePx = 10;

type ScaleOptions = ScaleFacts & { key: string; distances: number[]; threshold: number };
