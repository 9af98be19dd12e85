import { readFile } from "node:fs/promises";
import sharp from "sharp";

/** Images of people who do not exist, two of each person: samples/LICENCE.md says where they come from. */
export const sampleNames = ["ada-1", "ada-2", "chi-1", "chi-2", "dia-1", "dia-2"] as const;
export type SampleName = (typeof sampleNames)[number];

export const imageName = (sample: SampleName) => `samples/${sample}.jpg` as const;
export const previewName = (sample: SampleName) => `samples/${sample}-preview.webp` as const;
export const thumbnailName = (sample: SampleName) => `samples/${sample}.webp` as const;

/** Assets: every sample as it is sent, as it is shown, and small. */
export type SampleAssetName =
  | ReturnType<typeof imageName>
  | ReturnType<typeof previewName>
  | ReturnType<typeof thumbnailName>;

/** Returns the JPEG of a sample. */
export const readImage = (sample: SampleName): Promise<Buffer> =>
  readFile(new URL(`samples/${sample}.jpg`, import.meta.url));

/** Returns the WebP of a sample in its own size: it weighs a third of what is sent. */
export async function makePreview(sample: SampleName): Promise<Buffer> {
  return sharp(await readImage(sample))
    .webp({ quality: 80 })
    .toBuffer();
}

/** Returns the WebP of a sample, `thumbnailWidthPx` wide: all thumbnails weigh less than one image. */
export async function makeThumbnail(sample: SampleName): Promise<Buffer> {
  const image = await readImage(sample);
  return sharp(image).resize({ width: thumbnailWidthPx }).webp({ quality: 70 }).toBuffer();
}

/** Twice as many as the page shows, for screens with two pixels for one. */
export const thumbnailWidthPx = 96;
