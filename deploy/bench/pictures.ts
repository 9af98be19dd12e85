import { join } from "node:path";
import sharp from "sharp";
import { repository } from "../src/state-folder.ts";

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
