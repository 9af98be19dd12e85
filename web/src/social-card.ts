import sharp from "sharp";
import { readPicture, type SampleName } from "./samples.ts";

/**
 * Returns the picture that previews of links show, as WebP: two sample images of one person, joined as in the
 * mark. It has no text, because an image of a container has no typeface.
 */
export async function makeSocialCard(): Promise<Buffer> {
  const [left, right] = await Promise.all([makeDisc("dia-1"), makeDisc("dia-2")]);
  const top = (heightPx - discPx) / 2;
  return sharp(Buffer.from(ground))
    .composite([
      { input: left, left: marginPx, top },
      { input: right, left: widthPx - marginPx - discPx, top },
    ])
    .webp({ quality: 75 })
    .toBuffer();
}

async function makeDisc(name: SampleName): Promise<Buffer> {
  const r = discPx / 2;
  const mask = Buffer.from(
    `<svg width="${discPx}" height="${discPx}"><circle cx="${r}" cy="${r}" r="${r}"/></svg>`,
  );
  return sharp(await readPicture(name))
    .resize(discPx, discPx)
    .composite([{ input: mask, blend: "dest-in" }])
    .png()
    .toBuffer();
}

const widthPx = 1_200;
const heightPx = 630;
const discPx = 420;
const marginPx = 100;

const ring = (cx: number) => `<circle cx="${cx}" cy="${heightPx / 2}" r="${discPx / 2 + 12}" fill="#fff"/>`;

const ground = `<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" height="${heightPx}">
<rect width="${widthPx}" height="${heightPx}" fill="#0a6070"/>
<path d="M300 ${heightPx / 2}h600" stroke="#fff" stroke-width="12"/>
${ring(marginPx + discPx / 2)}${ring(widthPx - marginPx - discPx / 2)}
</svg>`;
