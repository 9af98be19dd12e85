import type { CompareResponse } from "@faceline/contracts/http/compare";
import type { RepresentResponse } from "@faceline/contracts/http/represent";
import { candidateWords } from "../../tester/failure.ts";
import { type RateEvidence, rarityWords } from "../../tester/rarity.ts";
import { formatDistance, verdictOf } from "../../tester/verdict.ts";
import { element } from "./element.ts";
import type { Picture } from "./picture.ts";

/** An answer in words, with the details below it. */
export type AnswerWords = { kind: string; headline: string; explanation: string; details: HTMLElement[] };

/** The faces of one picture, with what can be read of an embedding. */
export function representWords({ results }: RepresentResponse): AnswerWords {
  const rows = results.map(({ embedding, facial_area: { w, h }, face_confidence }, index) =>
    element(
      "tr",
      { "data-path": `results.${index}` },
      element("th", { scope: "row" }, `Face ${index + 1}`),
      element("td", { class: "number" }, `${w} × ${h} px`),
      element("td", { class: "number" }, formatDistance(face_confidence)),
      element("td", {}, element("code", {}, firstNumbers(embedding))),
    ),
  );
  return {
    kind: "faces",
    headline: results.length === 1 ? "One face was found" : `${results.length} faces were found`,
    explanation:
      "An embedding is a list of numbers to store and to compare later. It is personal data, just like the picture.",
    details: [
      scrollable(
        "Faces",
        table(["Face, largest first", "Size", "Confidence of the detector", "Embedding"], rows),
      ),
    ],
  };
}

/** The candidates, nearest first. */
export function compareWords(
  { results, threshold, best_match }: CompareResponse,
  candidates: Picture[],
  evidence: RateEvidence | null,
): AnswerWords {
  const sorted = results.toSorted((one, other) => distanceOf(one) - distanceOf(other));
  const rows = sorted.map((result) => {
    const picture = candidates[result.index];
    const name = picture?.name ?? result.id;
    const image = element("img", { src: picture?.address ?? "", alt: "", width: 48, height: 48 });
    const path = `results.${result.index}`;
    return "error" in result
      ? element(
          "tr",
          { "data-path": path },
          heading(image, name),
          element("td", { colspan: 3 }, candidateWords(result)),
        )
      : element(
          "tr",
          { "data-path": path },
          heading(image, name),
          element("td", { class: "number" }, formatDistance(result.distance)),
          element("td", {}, result.match ? "within the threshold" : "beyond the threshold"),
          element("td", {}, rarityOf(result.false_match_rate, evidence)),
        );
  });
  const name = candidates[best_match.index]?.name ?? best_match.id;
  return {
    kind: verdictOf({ distance: best_match.distance, threshold }).kind,
    headline: best_match.match ? `Nearest: ${name}, within the threshold` : "None is within the threshold",
    explanation: `The nearest of ${results.length} is ${name}. Distance ${formatDistance(best_match.distance)}, threshold ${formatDistance(threshold)}. It is a threshold for pairs: a search among many needs a lower one.`,
    details: [
      scrollable("Candidates", table(["Candidate", "Distance", "", "Different people this alike"], rows)),
    ],
  };
}

const rarityOf = (rate: number | null, evidence: RateEvidence | null): string =>
  !rate || evidence === null ? "not known" : rarityWords(rate, evidence);

const distanceOf = (result: CompareResponse["results"][number]): number =>
  "error" in result ? Number.POSITIVE_INFINITY : result.distance;

const heading = (image: HTMLImageElement, name: string): HTMLElement =>
  element("th", { scope: "row", class: "candidate" }, image, name);

function table(heads: string[], rows: HTMLElement[]): HTMLTableElement {
  const cells = heads.map((text) => (text === "" ? element("td") : element("th", { scope: "col" }, text)));
  return element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ...cells)),
    element("tbody", {}, ...rows),
  );
}

const scrollable = (label: string, content: HTMLElement): HTMLElement =>
  element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": label }, content);

function firstNumbers(embedding: RepresentResponse["results"][number]["embedding"]): string {
  if (typeof embedding === "string") return "Base64";
  return `${embedding.slice(0, 3).map(formatDistance).join(", ")}, … ${embedding.length} numbers`;
}
