import { type DistanceScale, distanceScale } from "../../tester/distance-scale.ts";
import { type LabelledDistances, labelledErrors } from "../../tester/labelled-pairs.ts";
import { formatDistance } from "../../tester/verdict.ts";
import { drawing, element } from "./element.ts";

/**
 * Returns the scale of the distances, with the threshold and where labelled pairs fell. Moving the threshold
 * shows at once what it would do to the labelled pairs; `chosen` runs when it was let go, and with undefined
 * for the model's own.
 */
export function scaleView({ distances, threshold, own, labelled, moved, chosen }: ScaleOptions): HTMLElement {
  const scale = distanceScale(distances, { own, chosen: threshold }, labelled);
  const svg = drawing("svg", { class: "scale", role: "img" });
  const range = element("input", {
    id: "moved-threshold",
    type: "range",
    min: 0,
    max: scale.end,
    step: scale.end / rangeSteps,
    value: threshold,
  });
  const words = element("p", { class: "errors-of-labelled" });
  const back = element("button", { type: "button", class: "plain" }, `Back to ${formatDistance(own)}`);
  // It keeps its place, so that the handle stays under the pointer.
  back.addEventListener("click", () => {
    range.value = String(own);
    range.focus();
    update(own);
    moved(own);
    chosen(undefined);
  });
  const update = (current: number): void => {
    svg.setAttribute(
      "aria-label",
      `A scale from 0 to ${formatDistance(scale.end)}: distance ${distances.map(formatDistance).join(", ")}, threshold ${formatDistance(current)}`,
    );
    back.classList.toggle("invisible", current === own);
    range.setAttribute("aria-valuetext", formatDistance(current));
    words.replaceChildren(...errorWords(labelled, current));
    draw(svg, { ...scale, threshold: current / scale.end });
  };
  range.addEventListener("input", () => {
    update(Number(range.value));
    moved(Number(range.value));
  });
  range.addEventListener("change", () => chosen(Number(Number(range.value).toPrecision(3))));
  new ResizeObserver(() => draw(svg, { ...scale, threshold: Number(range.value) / scale.end })).observe(svg);
  update(threshold);
  const label = element("label", { for: range.id }, "Threshold");
  const heading = element("div", { class: "threshold" }, label, back);
  const below = [heading, range, ...legend(labelled, scale), words];
  return element("figure", { class: "scale-of-distance" }, svg, ...below);
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
    labelText("threshold", "threshold", x(threshold), axisPx - 40, width),
    ...distances.map((at) => drawing("circle", { class: "distance", cx: x(at), cy: axisPx, r: 7 })),
    ...(distances.length === 1 ? distanceLabel(x(distances[0]!), x(threshold), width) : []),
  );
}

/** Draws the label beside that of the threshold, or above it if they would overlap. */
function distanceLabel(at: number, thresholdAt: number, width: number): SVGElement[] {
  const y = Math.abs(at - thresholdAt) < labelWidthPx ? axisPx - 58 : axisPx - 40;
  return [
    drawing("line", { class: "leader", x1: at, x2: at, y1: y + 5, y2: axisPx - 8 }),
    labelText("distance", "distance", at, y, width),
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
  const beyond = differentBeyond === 0 ? "" : `, ${differentBeyond} of them further right`;
  const ofSame = element("span", {}, `${same.length} labelled pairs of the same person`);
  const ofDifferent = element(
    "span",
    { class: "of-different" },
    `${different.length} labelled pairs of different people${beyond}`,
  );
  return [element("p", { class: "legend" }, ofSame, ofDifferent)];
}

function errorWords(labelled: LabelledDistances | undefined, threshold: number): (Node | string)[] {
  if (labelled === undefined) return ["No labelled pairs are known for this model and metric."];
  const { falseMatches, differentPairs, falseNonMatches, samePairs } = labelledErrors(labelled, threshold);
  return [
    `At ${formatDistance(threshold)}, `,
    element("strong", {}, `${falseMatches} of ${differentPairs}`),
    " pairs of different people would count as the same person (false match rate, FMR), and ",
    element("strong", {}, `${falseNonMatches} of ${samePairs}`),
    " pairs of the same person would not (false non-match rate, FNMR). ",
    "These are few pairs, and a threshold that was chosen on them fits them: ",
    element("a", { href: "/docs/thresholds#choose-your-own" }, "measure with your own pictures"),
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

type ScaleOptions = {
  distances: number[];
  threshold: number;
  /** The model's own threshold. */
  own: number;
  labelled: LabelledDistances | undefined;
  moved: (threshold: number) => void;
  chosen: (threshold: number | undefined) => void;
};
