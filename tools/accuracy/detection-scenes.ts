import type { Face } from "@faceline/contracts/wire/face";
import type { Box } from "@faceline/inference/geometry/box";
import type { Pixels, Size } from "@faceline/inference/geometry/pixels";
import type { Sharp } from "sharp";
import { withGlasses, withMask } from "./drawn-covers.ts";
import {
  centreFace,
  cutByRim,
  framed,
  framedFace,
  open,
  percent,
  pixelsOf,
  rolled,
  type Scene,
  scene,
  tight,
} from "./scenes.ts";

const headless = "without the head";
/** Parts of an image in which its one face is not. */
const partsBeside: Record<string, (area: Face["area"], image: Size) => Size & { left: number; top: number }> =
  {
    [headless]: (_, { width, height }) => ({ left: 0, top: 0, width, height }),
    below: ({ y, h }, { width, height }) => {
      const top = Math.min(height, Math.round(y + 1.3 * h));
      return { left: 0, top, width, height: height - top };
    },
    left: ({ x, w }, { height }) => ({ left: 0, top: 0, width: Math.round(x - 0.3 * w), height }),
    right: ({ x, w }, { width, height }) => {
      const left = Math.min(width, Math.round(x + 1.3 * w));
      return { left, top: 0, width: width - left, height };
    },
  };

const alterations: Record<string, (image: Sharp) => Sharp> = {
  "as it is": (image) => image,
  mirrored: (image) => image.flop(),
  "light × 0.1": (image) => image.linear(0.1, 0),
  blurred: (image) => image.blur(4),
};

/**
 * Copies of a photograph with one known face in which a detector has a harder task, step by step: smaller,
 * turned, stretched, tightly cropped, cut by the edge, partly covered, pale or dark; and images of nobody:
 * what is below and beside the face, and the photograph with the head painted over. Each is deterministic.
 */
export const detectionScenes: readonly DetectionScene[] = [
  ...[0.1, 0.07, 0.05, 0.035, 0.025, 0.018].map((share) =>
    step("size", percent(share), async ({ image, area }) => {
      const box = boxOf(area);
      return scene(await framed({ image, box }, share, frame), framedFace(share, frame));
    }),
  ),
  ...Array.from({ length: 12 }, (_, i) => 30 * i).map((degrees) =>
    step("angle", `${degrees}°`, ({ image, area }) => rolled(image, boxOf(area), degrees)),
  ),
  ...[1.25, 1.5].map((factor) =>
    step("shape", `wider × ${factor}`, ({ image, area }) =>
      stretched(image, area, { width: image.width * factor, height: image.height }),
    ),
  ),
  step("shape", "taller × 1.5", ({ image, area }) =>
    stretched(image, area, { width: image.width, height: image.height * 1.5 }),
  ),
  step("shape", "224 × 224", ({ image, area }) => stretched(image, area, { width: 224, height: 224 })),
  ...[160, 112].map((side) =>
    step("shape", `box to ${side} × ${side}`, async ({ image, area }) => {
      const { x: left, y: top, w: width, h: height } = area;
      const box = await pixelsOf(open(image).extract({ left, top, width, height }));
      return stretched(box, { ...area, x: 0, y: 0 }, { width: side, height: side });
    }),
  ),
  ...[0.9, 0.7].map((share) =>
    step("shape", `cut to ${share} of the box`, ({ image, area }) =>
      tight({ image, box: boxOf(area) }, share),
    ),
  ),
  ...[0.2, 0.33].map((share) =>
    step("edge", `${percent(share)} outside`, ({ image, area }) => cutByRim(image, boxOf(area), share)),
  ),
  step(
    "cover",
    "mask",
    inPlace(({ image, area }) => withMask(image, area)),
  ),
  step(
    "cover",
    "glasses",
    inPlace(({ image, area }) => withGlasses(image, area)),
  ),
  step(
    "cover",
    "both",
    inPlace(({ image, area }) => withMask(withGlasses(image, area), area)),
  ),
  step(
    "cover",
    "one side",
    inPlace(({ image, area }) => withoutSide(image, area)),
  ),
  ...[0.5, 0.25, 0.1].map((factor) =>
    step(
      "contrast",
      `× ${factor}`,
      inPlace((known) => valuesOf(known.image, factor, 128 * (1 - factor))),
    ),
  ),
  ...[0.5, 0.25, 0.1, 0.05].map((factor) =>
    step(
      "light",
      `× ${factor}`,
      inPlace((known) => valuesOf(known.image, factor, 0)),
    ),
  ),
  ...Object.entries(alterations).flatMap(([alteration, alter]) =>
    Object.entries(partsBeside).map(([part, boxOfPart]) =>
      step("nobody", `${part}, ${alteration}`, async ({ image, area }) => {
        const cut = boxOfPart(area, image);
        if (Math.min(cut.width, cut.height) < 100) return undefined;
        const visible = part === headless ? withoutHead(image, area) : image;
        return scene(await pixelsOf(alter(open(visible).extract(cut))));
      }),
    ),
  ),
];

/** The image with a flat colour over the head, up to the hair and down to the throat. */
function withoutHead(image: Pixels, { x, y, w, h }: Face["area"]): Pixels {
  const head = { left: x - 0.7 * w, right: x + 1.7 * w, top: y - h, bottom: y + 1.5 * h };
  return filled(image, head);
}

/** The whole image, made to have this size. */
async function stretched(image: Pixels, { x, y, w, h }: Face["area"], size: Size): Promise<Scene> {
  const [width, height] = [Math.round(size.width), Math.round(size.height)];
  const [across, down] = [width / image.width, height / image.height];
  const face = { x: (x + w / 2) * across, y: (y + h / 2) * down, width: w * across };
  return scene(await pixelsOf(open(image).resize({ width, height, fit: "fill" })), face);
}

/** The image with a flat colour over one side of the face, as a door or another head would cover it. */
function withoutSide(image: Pixels, { x, y, w, h }: Face["area"]): Pixels {
  return filled(image, { left: x - w / 4, right: x + w / 2, top: y - h, bottom: y + 2 * h });
}

function filled({ pixels, width, height }: Pixels, { left, right, top, bottom }: Box): Pixels {
  const covered = Uint8Array.from(pixels);
  const [from, to] = [Math.max(0, Math.round(left)), Math.min(width, Math.round(right))];
  for (let row = Math.max(0, Math.round(top)); row < Math.min(height, bottom); row++)
    covered.fill(90, 3 * (row * width + from), 3 * (row * width + to));
  return { pixels: covered, width, height };
}

async function valuesOf(image: Pixels, factor: number, added: number): Promise<Pixels> {
  return pixelsOf(open(image).linear(factor, added));
}

/** A scene whose face stays where it is. */
function inPlace(change: (known: KnownPhotograph) => Pixels | Promise<Pixels>): DetectionScene["make"] {
  return async (known) => scene(await change(known), centreFace(boxOf(known.area)));
}

function boxOf({ x, y, w, h }: Face["area"]) {
  return { left: x, top: y, right: x + w, bottom: y + h };
}

function step(group: DetectionScene["group"], name: string, make: DetectionScene["make"]): DetectionScene {
  return { group, name, make };
}

const frame = { width: 1_600, height: 1_200 };

/** A photograph, and the area of its one face with both eyes. */
export type KnownPhotograph = { image: Pixels; area: Face["area"] };

type DetectionScene = {
  group: "size" | "angle" | "shape" | "edge" | "cover" | "contrast" | "light" | "nobody";
  name: string;
  /** Undefined if the photograph has too little beside the face. */
  make(known: KnownPhotograph): Promise<Scene | undefined>;
};
