import { formatNumber } from "../../tester/numbers.ts";
import { type RarityScale, type RateEvidence, rarityScale, raritySentence } from "../../tester/rarity.ts";
import { words } from "../../tester/words.ts";
import { fill } from "../../words/fill.ts";
import { drawing, element } from "./element.ts";

/**
 * Returns how many different people look as much alike, as a sentence with a scale. Without a rate it says
 * that there is none.
 */
export function rarityView(rate: number | null, evidence: RateEvidence | null): HTMLElement {
  const ownImages = element("a", { href: "/docs/thresholds#choose-your-own" }, words.threshold.measure);
  if (!rate || evidence === null) {
    return element("p", { class: "errors-of-labelled" }, words.rarity.unknown, ownImages, ".");
  }
  const sentence = raritySentence(rate, evidence);
  const svg = drawing("svg", {
    class: "scale rarity",
    role: "img",
    "aria-label": fill(words.rarity.scale, { sentence }),
  });
  const scale = rarityScale(rate, evidence);
  new ResizeObserver(() => draw(svg, scale)).observe(svg);
  draw(svg, scale);
  const { basisOwn, basisModel } = words.rarity;
  const basis = fill(evidence.source === "operator" ? basisOwn : basisModel, {
    pairs: formatNumber(evidence.pairs),
  });
  return element(
    "figure",
    { class: "scale-of-rarity" },
    element("figcaption", {}, `${sentence}.`),
    svg,
    element("p", { class: "errors-of-labelled" }, basis, ownImages, "."),
  );
}

function draw(svg: SVGSVGElement, { rate, measuredFrom, ticks }: RarityScale): void {
  const width = Math.max(svg.clientWidth, narrowestPx);
  const x = (share: number): number => edgePx + share * (width - 2 * edgePx);
  const axis = (name: string, from: number, to: number) =>
    drawing("line", { class: name, x1: x(from), x2: x(to), y1: axisPx, y2: axisPx });
  svg.setAttribute("viewBox", `0 0 ${width} ${heightPx}`);
  svg.replaceChildren(
    // Dashes: a rarer one would not show.
    axis("unmeasured", 0, measuredFrom),
    axis("axis", measuredFrom, 1),
    ...ticks.flatMap(({ at, label }) => [
      drawing("line", { class: "tick", x1: x(at), x2: x(at), y1: axisPx - 4, y2: axisPx + 4 }),
      drawing("text", { x: x(at), y: heightPx - 6, "text-anchor": anchorAt(at) }, label),
    ]),
    drawing("circle", { class: "rate", cx: x(rate), cy: axisPx, r: 7 }),
  );
}

/** Labels at the ends stay within the drawing. */
const anchorAt = (at: number): string => (at === 0 ? "start" : at === 1 ? "end" : "middle");

const narrowestPx = 240;
const heightPx = 44;
const axisPx = 12;
const edgePx = 10;
