import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import sharp from "sharp";

/**
 * Two pictures of one person to try the service with, cut from one photograph that comes with the models' npm package:
 * different crops, scales and compressions. Returns the file with the body of a /verify call.
 */
export async function cutSamples(folder: string): Promise<string> {
  const body = join(folder, "verify.json");
  if (existsSync(body)) return body;

  const packageFolder = dirname(createRequire(import.meta.url).resolve("@vladmandic/face-api/package.json"));
  const photograph = sharp(join(packageFolder, "demo", "sample6.jpg"));
  const [first, second] = await Promise.all([
    photograph.clone().extract(wide).jpeg({ quality: 90 }).toBuffer(),
    photograph
      .clone()
      .extract(close)
      .resize({ width: Math.round(close.width * 0.6) })
      .jpeg({ quality: 60 })
      .toBuffer(),
  ]);

  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "first.jpg"), first);
  writeFileSync(join(folder, "second.jpg"), second);
  // Last, because its presence says that all is there.
  writeFileSync(body, JSON.stringify({ img1: first.toString("base64"), img2: second.toString("base64") }));
  return body;
}

/** Around the face at the left of the photograph, in its pixels. */
const wide = { left: 120, top: 360, width: 520, height: 520 };
const close = { left: 180, top: 430, width: 420, height: 440 };
