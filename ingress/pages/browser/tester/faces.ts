import type { VerifyReply } from "@faceline/contracts/http/verify";
import type { TesterSettings } from "../../tester/settings.ts";
import { sendCall } from "./call.ts";
import { element } from "./element.ts";
import type { FaceArea, FaceMark } from "./overlay.ts";
import { cropPicture } from "./picture.ts";
import type { Slot } from "./slot.ts";

// Covered by deploy/e2e/tester.e2e.test.ts.

/** Marks the two faces that the distance was computed of. */
export function markPair({ facial_areas }: VerifyReply, slots: Slot[]): void {
  for (const [index, name] of (["img1", "img2"] as const).entries()) {
    const area = facial_areas[name];
    const path = `facial_areas.${name}`;
    if (area !== null) slots[index]?.markFaces([{ area, counted: true, label: "", path }]);
  }
}

/** Where one face of a picture was chosen, says so, and offers the whole picture again. */
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
 * Where several faces of a picture were compared: numbers all of them, says which one counted, and offers to
 * use another one instead.
 */
export async function showOtherFaces(
  reply: VerifyReply,
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
    const nearest = areas.toSorted(
      (one, other) => centreDistance(one, counted) - centreDistance(other, counted),
    )[0];
    const faces = areas.map(
      (area, face): FaceMark => ({
        area,
        counted: area === nearest,
        label: String(face + 1),
        path: area === nearest ? `facial_areas.${name}` : "",
      }),
    );
    slot.markFaces(faces, [
      `${areas.length} faces found. Face ${areas.indexOf(nearest!) + 1} was used, because it is nearer. `,
      ...areas.flatMap((area, face) => (area === nearest ? [] : [useButton(slot, area, face)])),
    ]);
  }
}

function useButton(slot: Slot, area: FaceArea, face: number): HTMLButtonElement {
  const button = element("button", { type: "button", class: "plain" }, `Use face ${face + 1}`);
  const picture = slot.picture!;
  button.addEventListener("click", () => void slot.take(() => cropPicture(picture, area)));
  return button;
}

const centreDistance = (one: FaceArea, other: FaceArea): number =>
  Math.hypot(one.x + one.w / 2 - other.x - other.w / 2, one.y + one.h / 2 - other.y - other.h / 2);
