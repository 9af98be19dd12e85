import { photographs } from "@faceline/bench/images";
import { portraits } from "@faceline/testing/faces";
import sharp from "sharp";
import { type Noise, sendCalls } from "./send-calls.ts";

/** Pairs of photographs of 12 megapixels and 2 MiB each, as telephones take them. */
const largePhotographs: Noise = async () => {
  const files = photographs.slice(0, 2);
  const images = await Promise.all(files.map((file) => photographOf(file, 2 * 1_048_576)));
  const [img1, img2] = images.map((bytes) => bytes.toString("base64"));
  const body = JSON.stringify({ img1, img2 });
  return (server, stop) => sendCalls([{ path: "/verify", body }], server, stop);
};

/** A JPEG of 4,000 x 3,000 pixels in the highest quality that fits, filled up to `bytes` after its end. */
async function photographOf(file: string, bytes: number): Promise<Buffer> {
  const image = sharp(file).resize(4_000, 3_000, { fit: "cover" });
  for (let quality = 97; ; quality -= 3) {
    const jpeg = await image.clone().jpeg({ quality }).toBuffer();
    if (jpeg.length <= bytes) return Buffer.concat([jpeg, Buffer.alloc(bytes - jpeg.length)]);
  }
}

/** Calls with as many images as a call may have, and the longest deadline. */
const manyImages: Noise = async () => {
  const images = (await portraits()).map((bytes) => bytes.toString("base64"));
  const candidates = Array.from({ length: 50 }, (_, index) => images[index % images.length]);
  const body = JSON.stringify({ img: images[0], candidates });
  const call = { path: "/compare", headers: longest, body };
  return (server, stop) => sendCalls([call], server, stop);
};

/**
 * Pairs of interlaced PNGs with as many pixels as are accepted, which take the longest to decode for their
 * size: 8 bits, and 16 bits with alpha. Half a megabyte and less.
 */
const interlacedPngs: Noise = async () => {
  const flat = (channels: 3 | 4) =>
    sharp({ create: { width: 8_000, height: 5_000, channels, background: "#7c8a91" } });
  const pngs = [flat(3), flat(4).toColourspace("rgb16")].map((each) =>
    each.png({ progressive: true, compressionLevel: 9 }).toBuffer(),
  );
  const calls = (await Promise.all(pngs)).map((png) => {
    const img = png.toString("base64");
    const body = JSON.stringify({ img1: img, img2: img });
    return { path: "/verify", headers: longest, body };
  });
  return (server, stop) => sendCalls(calls, server, stop);
};

/** Pairs that visitors of the tester send from 250 addresses, each within its own limit. */
const visitors: Noise = async () => {
  const [img1, img2] = (await portraits()).map((bytes) => bytes.toString("base64"));
  const body = JSON.stringify({ img1, img2 });
  const calls = Array.from({ length: 250 }, (_, index) => ({
    path: "/tester/verify",
    headers: { "sec-fetch-site": "same-origin", "x-forwarded-for": `192.0.2.${index + 1}` },
    body,
  }));
  return (server, stop) => sendCalls(calls, server, stop);
};

/** Bodies of 31 MiB: a thousand vectors, all of them longer than those of any model. */
const largeVectors: Noise = async () => {
  const vector = `[${Array.from({ length: 4_096 }, (_, index) => (index / 8_192).toFixed(5)).join()}]`;
  const candidates = Array.from({ length: Math.floor((31 * 1_048_576) / vector.length) }, () => vector);
  const body = `{"vector":${vector},"candidates":[${candidates.slice(1).join()}]}`;
  return (server, stop) => sendCalls([{ path: "/compare", body }], server, stop);
};

const longest = { "x-request-timeout-ms": "120000" };

/** Noises that the noisy team or visitors make, by name. */
export const noises = {
  "2 MiB photographs": largePhotographs,
  "calls of 51 images": manyImages,
  "visitors of the tester": visitors,
  "interlaced PNGs of 40 megapixels": interlacedPngs,
  "vectors of 31 MiB": largeVectors,
} satisfies Record<string, Noise>;
