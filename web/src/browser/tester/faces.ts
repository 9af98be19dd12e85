import type { VerifyResponse } from "@faceline/contracts/http/verify";
import type { Area } from "../../tester/face-crop.ts";
import { qualityWords } from "../../tester/quality-words.ts";
import { referencesOf } from "../../tester/references.ts";
import { isCompare, isVerify, type ResponseBody } from "../../tester/response-body.ts";
import type { TesterSettings } from "../../tester/settings.ts";
import { words } from "../../tester/words.ts";
import { fill } from "../../words/fill.ts";
import type { Answer } from "./answer.ts";
import { sendRequest } from "./call.ts";
import type { FaceArea } from "./overlay.ts";
import type { Slot } from "./slot.ts";

/**
 * Marks an answer's faces on the images, and says which of several was used and what may affect the result.
 */
export function markAnswer({ body, people }: Pick<Answer, "body" | "people">, slots: Slot[]): void {
  if (isVerify(body)) {
    for (const [index, name] of pair) {
      const slot = slots[index];
      if (slot === undefined) continue;
      markSlot(slot, {
        path: `facial_areas.${name}`,
        area: body.facial_areas[name],
        why: words.faces.closest,
      });
      slot.showQuality(qualityWords(body.quality_issues[name]));
    }
  } else if (isCompare(body)) {
    const { largest, closest } = words.faces;
    if (slots[0]) markSlot(slots[0], { path: "source", area: body.source.facial_area, why: largest });
    for (const [position, result] of body.results.entries()) {
      if ("error" in result) continue;
      for (const [i, candidate] of referencesOf(people, result.index).entries()) {
        const area = result.facial_areas[i] ?? null;
        const slot = slots[candidate + 1];
        if (slot !== undefined) markSlot(slot, { path: `results.${position}`, area, why: closest });
      }
    }
  } else {
    const areas = body.results.map(({ facial_area }) => facial_area);
    const label = (face: number): string => (areas.length > 1 ? String(face + 1) : "");
    slots[0]?.markFaces(
      areas.map((area, face) => ({ area, counted: true, label: label(face), path: `results.${face}` })),
    );
    const issues = body.results.map(({ quality_issues }) => qualityWords(quality_issues));
    const first = issues.findIndex((text) => text !== "");
    const text = issues[first] ?? "";
    slots[0]?.showQuality(
      areas.length > 1 && text !== "" ? fill(words.quality.ofFace, { face: first + 1, issues: text }) : text,
    );
  }
}

/** Marks known faces while there is no answer, so it is not known yet which one counts. */
export function markKnownFaces(slots: Slot[]): void {
  for (const slot of slots) {
    markSlot(slot, { path: "", area: null, why: "" });
    slot.showQuality("");
  }
}

/**
 * Finds all faces of the images in which an answer compared several, so that one can be chosen. Resolves to
 * whether more are known than before.
 */
export async function findFaces(
  body: ResponseBody,
  slots: Slot[],
  { settings, signal }: { settings: TesterSettings; signal: AbortSignal },
): Promise<boolean> {
  const several = isVerify(body)
    ? pair.flatMap(([index, name]) => ((body.faces_compared[name] ?? 0) > 1 ? (slots[index] ?? []) : []))
    : isCompare(body)
      ? slots.slice(0, 1)
      : [];
  let found = false;
  for (const slot of several) {
    const { image } = slot;
    if (image === undefined || slot.areFacesKnown) continue;
    const inputs = { settings: { ...settings, call: "represent" as const }, images: [image], people: [] };
    const result = await sendRequest(inputs, { signal });
    if (result.kind === "failed") continue;
    slot.faces = result.body.results.map(({ facial_area }) => facial_area);
    found ||= slot.faces !== undefined;
  }
  return found;
}

/** `area`: the face that the service used; null: not known. `why` says why, given its number. */
function markSlot(slot: Slot, { path, area, why }: UsedFace): void {
  const { faces, chosenFace } = slot;
  if (faces === undefined) {
    return slot.markFaces(area === null ? [] : [{ area, counted: true, label: "", path }]);
  }
  const used = chosenFace ?? (area === null ? undefined : nearest(faces, area));
  const marks = faces.map((each, face) => ({
    area: each,
    counted: face === used,
    label: String(face + 1),
    path: face === used ? path : "",
  }));
  const { count, chosen, how } = words.faces;
  const says = chosenFace !== undefined ? chosen : used === undefined ? how : why + how;
  slot.markFaces(marks, fill(count + says, { count: faces.length, face: (used ?? 0) + 1 }));
}

type UsedFace = { path: string; area: FaceArea | null; why: string };

function nearest(faces: FaceArea[], { x, y, w, h }: Area): number {
  const distances = faces.map((face) =>
    Math.hypot(face.x + face.w / 2 - x - w / 2, face.y + face.h / 2 - y - h / 2),
  );
  return distances.indexOf(Math.min(...distances));
}

const pair: [number, keyof VerifyResponse["facial_areas"]][] = [
  [0, "img1"],
  [1, "img2"],
];
