import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { facesFolder } from "../testing/faces.ts";
import { mulberry32 } from "./arrivals.ts";
import { photographs } from "./pictures.ts";

/**
 * Pictures as people send them, small ones most: so many of each kind in a hundred. Made from the photographs of the
 * models' package, and the labelled ones where they are.
 */
const kinds: Kind[] = [
  { name: "JPEG, 240 px", inHundred: 36, make: (photograph) => jpeg(shrunk(photograph, 240)) },
  { name: "JPEG, 480 px", inHundred: 24, make: (photograph) => jpeg(shrunk(photograph, 480)) },
  {
    name: "progressive JPEG, 640 px",
    inHundred: 8,
    make: (photograph) => shrunk(photograph, 640).jpeg({ progressive: true }).toBuffer(),
  },
  {
    name: "JPEG on its side, 400 px",
    inHundred: 5,
    make: (photograph) => jpeg(shrunk(photograph, 400).rotate(90).withMetadata({ orientation: 8 })),
  },
  {
    name: "grey JPEG, 320 px",
    inHundred: 4,
    make: (photograph) => jpeg(shrunk(photograph, 320).grayscale()),
  },
  { name: "PNG, 320 px", inHundred: 6, make: (photograph) => shrunk(photograph, 320).png().toBuffer() },
  { name: "WebP, 480 px", inHundred: 6, make: (photograph) => shrunk(photograph, 480).webp().toBuffer() },
  { name: "as it is", inHundred: 4, make: async (photograph) => readFileSync(photograph) },
  {
    name: "JPEG, 12 megapixels",
    inHundred: 1,
    make: (photograph) => jpeg(sharp(photograph).resize(4_000, 3_000, { fit: "cover" })),
  },
  {
    name: "cut short",
    inHundred: 3,
    async make(photograph) {
      const whole = await jpeg(shrunk(photograph, 480));
      return whole.subarray(0, 0.6 * whole.length);
    },
  },
  {
    name: "no face",
    inHundred: 3,
    make: (photograph) =>
      jpeg(sharp(photograph).extract({ left: 0, top: 0, width: 60, height: 60 }).resize(400)),
  },
];

/** One of each kind from each of some photographs, by name; and who is sent when, the same every time. */
export async function mixedPictures(count: number): Promise<{ pictures: Buffer[]; order: number[] }> {
  const labelled = existsSync(facesFolder)
    ? readdirSync(facesFolder).filter((name) => name.endsWith(".jpg"))
    : [];
  const sources = [...photographs, ...labelled.slice(0, 6).map((name) => join(facesFolder, name))];
  const pictures: Buffer[] = [];
  const lots: number[] = [];
  for (const { inHundred, make } of kinds) {
    const first = pictures.length;
    for (const source of sources) pictures.push(await make(source));
    for (let lot = 0; lot < inHundred; lot++) lots.push(first);
  }
  const next = mulberry32(count);
  const order = Array.from({ length: count }, () => {
    const first = lots[Math.floor(lots.length * next())]!;
    return first + Math.floor(sources.length * next());
  });
  return { pictures, order };
}

export const mixture = kinds.map(({ name, inHundred }) => `${inHundred} % ${name}`).join(", ");

const shrunk = (photograph: string, px: number): Sharp => sharp(photograph).resize(px, px, { fit: "inside" });
const jpeg = (picture: Sharp): Promise<Buffer> => picture.jpeg({ quality: 85 }).toBuffer();

type Kind = { name: string; inHundred: number; make(photograph: string): Promise<Buffer> };
