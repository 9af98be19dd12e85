import type { CompareResponse } from "@faceline/contracts/http/compare";
import type { FacialArea } from "@faceline/contracts/http/facial-area";
import type { RepresentResponse } from "@faceline/contracts/http/represent";
import { candidateWords } from "../../tester/failure.ts";
import { formatDistance } from "../../tester/numbers.ts";
import { raritySentences } from "../../tester/rarity.ts";
import { referencesOf } from "../../tester/references.ts";
import { isCompare, isVerify } from "../../tester/response-body.ts";
import { verdictOf } from "../../tester/verdict.ts";
import { words } from "../../tester/words.ts";
import { fill } from "../../words/fill.ts";
import type { Answer } from "./answer.ts";
import { element, wideTable } from "./element.ts";
import type { Image } from "./image.ts";
import { type ScaleView, scaleView } from "./scale-view.ts";

/** An answer in words, with its table, and sentences on how sure it is. */
export type AnswerWords = {
  kind: string;
  headline: string;
  explanation: string;
  table?: HTMLElement;
  sure: string[];
};

export function wordsOf({ body, images, people, evidence }: Answer): AnswerWords {
  if (!("threshold" in body)) return representWords(body);
  const { false_match_rate: distance } = isVerify(body) ? body : body.best_match;
  const sure = raritySentences({ distance, threshold: body.threshold_false_match_rate }, evidence);
  if (isVerify(body)) {
    const { img1, img2 } = body.facial_areas;
    return { ...verdictOf(body), sure: [...sure, ...foundBy([img1, img2])] };
  }
  const areas = [body.source.facial_area, ...body.best_match.facial_areas];
  const compared = compareWords(body, images.slice(1), people);
  return { ...compared, sure: [...sure, words.sure.manyNeedLower, ...foundBy(areas)] };
}

/** Returns a sentence with the detectors that found the faces, each of them if they differ. */
function foundBy(areas: (FacialArea | null)[]): string[] {
  const found = areas.flatMap((area) => area?.detector ?? []);
  const detectors = new Set(found).size === 1 ? found.slice(0, 1) : found;
  return found.length === 0 ? [] : [fill(words.sure.foundBy, { detectors: detectors.join(", ") })];
}

/** Returns the scale of the distances; undefined if there are none. */
export function scaleOf({ body, scale }: Answer): ScaleOfAnswer | undefined {
  const distances = isVerify(body)
    ? [body.distance]
    : isCompare(body)
      ? body.results.flatMap((each) => ("error" in each ? [] : [each.distance]))
      : undefined;
  if (distances === undefined || !("threshold" in body)) return undefined;
  const { threshold } = body;
  const key = JSON.stringify([distances, scale.own]);
  return { key, threshold, open: () => scaleView({ ...scale, key, distances, threshold }) };
}

/** `key`: two answers with one key have one scale, whatever their threshold. */
type ScaleOfAnswer = { key: string; threshold: number; open(): ScaleView };

/** The faces of one image, with the readable part of each embedding. */
function representWords({ results }: RepresentResponse): AnswerWords {
  const rows = results.map(({ embedding, facial_area: { w, h, detector }, face_confidence }, index) =>
    element(
      "tr",
      { "data-path": `results.${index}` },
      element("th", { scope: "row" }, fill(words.table.face, { face: index + 1 })),
      element("td", { class: "number" }, `${w} × ${h} px`),
      element("td", {}, [detector, formatDistance(face_confidence)].filter(Boolean).join(", ")),
      element("td", {}, element("code", {}, firstNumbers(embedding))),
    ),
  );
  return {
    kind: "faces",
    headline:
      results.length === 1 ? words.headlines.oneFace : fill(words.headlines.faces, { count: results.length }),
    explanation: words.verdict.facesMean,
    table: wideTable(words.table.faces, words.table.facesHead, rows),
    sure: [],
  };
}

/** The candidates, nearest first. */
function compareWords(
  { results, threshold, best_match }: CompareResponse,
  candidates: Image[],
  people: string[],
): Omit<AnswerWords, "sure"> {
  const sorted = results.toSorted((one, other) => distanceOf(one) - distanceOf(other));
  const nameOf = ({ index, id }: { index: number; id: string }) =>
    people[index] || (candidates[index]?.name ?? id);
  const rows = sorted.map((result) => {
    const thumbnails = referencesOf(people, result.index).map((candidate) =>
      element("img", { src: candidates[candidate]?.address ?? "", alt: "", width: 48, height: 48 }),
    );
    const candidate = element("div", { class: "candidate" }, ...thumbnails, nameOf(result));
    const heading = element("th", { scope: "row" }, candidate);
    const cells =
      "error" in result
        ? [element("td", { colspan: 2 }, candidateWords(result))]
        : [
            element("td", { class: "number" }, formatDistance(result.distance)),
            element("td", {}, result.match ? words.table.within : words.table.beyond),
          ];
    return element("tr", { "data-path": `results.${results.indexOf(result)}` }, heading, ...cells);
  });
  const name = nameOf(best_match);
  return {
    kind: verdictOf({ distance: best_match.distance, threshold }).kind,
    headline: best_match.match ? fill(words.headlines.nearest, { name }) : words.headlines.none,
    explanation: best_match.match
      ? words.verdict.sameMeans
      : fill(words.verdict.nearestMeans, { count: results.length, name }),
    table: wideTable(words.table.candidates, words.table.candidatesHead, rows),
  };
}

const distanceOf = (result: CompareResponse["results"][number]): number =>
  "error" in result ? Number.POSITIVE_INFINITY : result.distance;

function firstNumbers(embedding: RepresentResponse["results"][number]["embedding"]): string {
  if (typeof embedding === "string") return "Base64";
  const first = embedding.slice(0, 3).map(formatDistance).join(", ");
  return fill(words.table.numbers, { first, count: embedding.length });
}
