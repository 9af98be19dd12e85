import sharp from "sharp";
import { photographs } from "@faceline/bench/pictures";
import { type Noise, sendCalls, twiceTheLimit } from "./raw-calls.ts";

/** Pairs of photographs of 12 megapixels and 2 MiB each, as telephones take them. */
export const largePhotographs: Noise = async () => {
  const files = photographs.slice(0, 2);
  const pictures = await Promise.all(files.map((file) => photographOf(file, 2 * 1_048_576)));
  const [img1, img2] = pictures.map((bytes) => bytes.toString("base64"));
  const body = Buffer.from(JSON.stringify({ img1, img2 }));
  return (server, stop) => sendCalls({ calls: [{ path: "/verify", body }], ...twiceTheLimit }, server, stop);
};

/** A JPEG of 4,000 x 3,000 pixels in the highest quality that fits, filled up to `bytes` after its end. */
async function photographOf(file: string, bytes: number): Promise<Buffer> {
  const picture = sharp(file).resize(4_000, 3_000, { fit: "cover" });
  for (let quality = 97; ; quality -= 3) {
    const jpeg = await picture.clone().jpeg({ quality }).toBuffer();
    if (jpeg.length <= bytes) return Buffer.concat([jpeg, Buffer.alloc(bytes - jpeg.length)]);
  }
}
