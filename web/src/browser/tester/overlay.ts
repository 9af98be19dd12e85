import type { Area } from "../../tester/face-crop.ts";
import { drawing } from "./element.ts";

/** A face as the service describes it, in pixels of the image. */
export type FaceArea = Area & { left_eye?: [number, number] | null; right_eye?: [number, number] | null };

/** A face to draw on an image. */
export type FaceMark = {
  area: FaceArea;
  /** Whether the distance was computed from this face: drawn solid, other faces thin. */
  counted: boolean;
  /** Shown beside the box; "" for none. */
  label: string;
  /** Path of the face in the response, such as `facial_areas.img1`. */
  path: string;
};

/** Draws boxes and eyes over an image of this size. The eyes are points, smaller than pupils. */
export function drawFaces(
  overlay: SVGSVGElement,
  size: { width: number; height: number },
  faces: FaceMark[],
): void {
  overlay.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  // In shares of the image, so that marks are as bold on a large image as on a small one.
  const unit = Math.max(size.width, size.height) / 100;
  const shown = overlay.getBoundingClientRect();
  const perPx = shown.width === 0 ? 0 : Math.max(size.width / shown.width, size.height / shown.height);
  // On a phone, that share would be too small to read.
  const textSize = Math.max(4.5 * unit, labelPxMin * perPx);
  overlay.replaceChildren(...faces.map((face) => drawFace(face, unit, textSize)));
}

const labelPxMin = 14;

function drawFace({ area, counted, label, path }: FaceMark, unit: number, textSize: number): SVGGElement {
  const { x, y, w, h } = area;
  const eyes = [area.left_eye, area.right_eye].filter((eye) => eye !== null && eye !== undefined);
  const text = drawing("text", { x: x + unit, y: y - unit, "font-size": textSize }, label);
  return drawing(
    "g",
    { class: counted ? "face counted" : "face", "data-path": path },
    drawing("rect", { x, y, width: w, height: h, rx: unit }),
    ...eyes.map(([cx, cy]) => drawing("circle", { cx, cy, r: 0.8 * unit })),
    ...(label === "" ? [] : [text]),
  );
}
