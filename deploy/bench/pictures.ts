import { join } from "node:path";
import sharp from "sharp";
import { repository } from "../launcher/state-folder.ts";
import { mulberry32 } from "./arrivals.ts";

/** The photographs that come with the models' package: some 0.2 MB and a megapixel each, with 1 to 6 faces. */
export const photographs = [1, 2, 3, 4, 5, 6].map((index) =>
  join(repository, `node_modules/@vladmandic/face-api/demo/sample${index}.jpg`),
);

/** The same, shrunk to what a thumbnail has: with few bytes and pixels, what is left is the way itself. */
export function shrunk(folder: string): Promise<string[]> {
  return Promise.all(
    photographs.map(async (file, index) => {
      const small = join(folder, `small${index}.jpg`);
      await sharp(file).resize({ width: 400 }).jpeg({ quality: 85 }).toFile(small);
      return small;
    }),
  );
}

/** The least that passes for a picture: with few bytes and a modelled engine, the way is all there is. */
export const tiny = (): Promise<Buffer> => noise(24, 40);

/** Some 100 KB, as a photograph of a face has that a telephone sent. */
export const heavy = (): Promise<Buffer> => noise(364, 87);

/** A JPEG that cannot be compressed well, and is the same every time. */
function noise(sidePx: number, quality: number): Promise<Buffer> {
  const next = mulberry32(sidePx);
  const pixels = Buffer.from(Array.from({ length: sidePx * sidePx * 3 }, () => Math.floor(256 * next())));
  return sharp(pixels, { raw: { width: sidePx, height: sidePx, channels: 3 } })
    .jpeg({ quality })
    .toBuffer();
}
