import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { facesFolder } from "../../e2e/faces.ts";
import { mulberry32 } from "../load/arrivals.ts";
import { photographs } from "./pictures.ts";

/**
 * Pictures as clients send them, most of them small, with the percentage of each kind. They are made from the
 * sample photographs of the models' package, and from the labelled pictures where those are.
 */
const kinds: Kind[] = [
  { name: "JPEG, 240 px", percent: 36, make: (photograph) => jpeg(resized(photograph, 240)) },
  { name: "JPEG, 480 px", percent: 24, make: (photograph) => jpeg(resized(photograph, 480)) },
  {
    name: "progressive JPEG, 640 px",
    percent: 8,
    make: (photograph) => resized(photograph, 640).jpeg({ progressive: true }).toBuffer(),
  },
  {
    name: "JPEG rotated by EXIF, 400 px",
    percent: 5,
    make: (photograph) => jpeg(resized(photograph, 400).rotate(90).withMetadata({ orientation: 8 })),
  },
  {
    name: "grey JPEG, 320 px",
    percent: 4,
    make: (photograph) => jpeg(resized(photograph, 320).grayscale()),
  },
  { name: "PNG, 320 px", percent: 6, make: (photograph) => resized(photograph, 320).png().toBuffer() },
  { name: "WebP, 480 px", percent: 6, make: (photograph) => resized(photograph, 480).webp().toBuffer() },
  { name: "unchanged", percent: 4, make: async (photograph) => readFileSync(photograph) },
  {
    name: "JPEG, 12 megapixels",
    percent: 1,
    make: (photograph) => jpeg(sharp(photograph).resize(4_000, 3_000, { fit: "cover" })),
  },
  {
    name: "truncated",
    percent: 3,
    async make(photograph) {
      const whole = await jpeg(resized(photograph, 480));
      return whole.subarray(0, 0.6 * whole.length);
    },
  },
  {
    name: "no face",
    percent: 3,
    make: (photograph) =>
      jpeg(sharp(photograph).extract({ left: 0, top: 0, width: 60, height: 60 }).resize(400)),
  },
];

/**
 * Returns one picture of each kind from each source, and the index of the picture of each of `count` calls.
 */
export async function mixedPictures(count: number): Promise<{ pictures: Buffer[]; order: number[] }> {
  const labelled = existsSync(facesFolder)
    ? readdirSync(facesFolder).filter((name) => name.endsWith(".jpg"))
    : [];
  const sources = [...photographs, ...labelled.slice(0, 6).map((name) => join(facesFolder, name))];
  const pictures: Buffer[] = [];
  const drawn: number[] = [];
  for (const { percent, make } of kinds) {
    const first = pictures.length;
    for (const source of sources) pictures.push(await make(source));
    for (let i = 0; i < percent; i++) drawn.push(first);
  }
  const next = mulberry32(count);
  const order = Array.from({ length: count }, () => {
    const first = drawn[Math.floor(drawn.length * next())]!;
    return first + Math.floor(sources.length * next());
  });
  return { pictures, order };
}

export const mixture = kinds.map(({ name, percent }) => `${percent} % ${name}`).join(", ");

const resized = (photograph: string, px: number): Sharp =>
  sharp(photograph).resize(px, px, { fit: "inside" });
const jpeg = (picture: Sharp): Promise<Buffer> => picture.jpeg({ quality: 85 }).toBuffer();

type Kind = { name: string; percent: number; make(photograph: string): Promise<Buffer> };
