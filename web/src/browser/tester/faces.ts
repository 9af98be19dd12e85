import type { VerifyResponse } from "@faceline/contracts/http/verify";
import { qualityWords } from "../../tester/quality-words.ts";
import type { TesterSettings } from "../../tester/settings.ts";
import { sendCall } from "./call.ts";
import { element } from "./element.ts";
import type { FaceArea, FaceMark } from "./overlay.ts";
import { cropPicture } from "./picture.ts";
import type { Slot } from "./slot.ts";

/** Marks the two faces that the distance was computed of, and says what may have spoiled it. */
export function markPair({ facial_areas, quality_issues }: VerifyResponse, slots: Slot[]): void {
  for (const [index, name] of (["img1", "img2"] as const).entries()) {
    const area = facial_areas[name];
    const path = `facial_areas.${name}`;
    if (area !== null) slots[index]?.markFaces([{ area, counted: true, label: "", path }]);
    slots[index]?.showQuality(qualityWords(quality_issues[name]));
  }
}

/** Labels each picture of which one face was chosen, and offers the whole picture again. */
export function nameCrops(slots: Slot[]): void {
  for (const slot of slots) {
    const whole = slot.picture?.whole;
    if (whole === undefined) continue;
    const button = element("button", { type: "button", class: "plain" }, "Use the whole picture");
    button.addEventListener("click", () => void slot.take(async () => whole));
    slot.describe([`One face of ${whole.name}. `, button]);
  }
}

/**
 * Numbers the faces of a picture if several were compared, says which one counted, and offers to use another
 * one instead.
 */
export async function showOtherFaces(
  reply: VerifyResponse,
  slots: Slot[],
  settings: TesterSettings,
  signal: AbortSignal,
): Promise<void> {
  for (const [index, name] of (["img1", "img2"] as const).entries()) {
    const slot = slots[index];
    const counted = reply.facial_areas[name];
    const count = reply.faces_compared[name];
    if (slot?.picture === undefined || counted === null || count === null || count < 2) continue;
    const result = await sendCall({ ...settings, call: "represent" as const }, [slot.picture], { signal });
    if (result.kind === "failed") continue;
    const areas = result.reply.results.map(({ facial_area }) => facial_area);
    const used = areas.toSorted(
      (one, other) => centreDistance(one, counted) - centreDistance(other, counted),
    )[0]!;
    const why = "is the most like the face in the other picture, so it was compared";
    numberFaces(slot, { areas, used, why, path: `facial_areas.${name}` });
  }
}

/** The same for the picture whose face is looked for among others: there the largest face counts. */
export async function showSourceFaces(
  slot: Slot,
  settings: TesterSettings,
  signal: AbortSignal,
): Promise<void> {
  const result = await sendCall({ ...settings, call: "represent" as const }, [slot.picture!], { signal });
  if (result.kind === "failed") return;
  const areas = result.reply.results.map(({ facial_area }) => facial_area);
  const [largest] = areas;
  if (areas.length > 1 && largest !== undefined)
    numberFaces(slot, { areas, used: largest, why: "is the largest, so it was looked for", path: "source" });
}

function numberFaces(slot: Slot, { areas, used, why, path }: FacesOfPicture): void {
  const marks = areas.map(
    (area, face): FaceMark => ({
      area,
      counted: area === used,
      label: String(face + 1),
      path: area === used ? path : "",
    }),
  );
  slot.markFaces(marks, [
    `${areas.length} faces found. Face ${areas.indexOf(used) + 1} ${why}. `,
    ...areas.flatMap((area, face) => (area === used ? [] : [useButton(slot, area, face)])),
  ]);
}

/** `why` ends the sentence that begins with the face. `path`: where the reply describes that face. */
type FacesOfPicture = { areas: FaceArea[]; used: FaceArea; why: string; path: string };

function useButton(slot: Slot, area: FaceArea, face: number): HTMLButtonElement {
  const button = element("button", { type: "button", class: "plain" }, `Use face ${face + 1}`);
  const picture = slot.picture!;
  button.addEventListener("click", () => void slot.take(() => cropPicture(picture, area)));
  return button;
}

const centreDistance = (one: FaceArea, other: FaceArea): number =>
  Math.hypot(one.x + one.w / 2 - other.x - other.w / 2, one.y + one.h / 2 - other.y - other.h / 2);
