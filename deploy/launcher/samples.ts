import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import sharp from "sharp";

/**
 * Writes two pictures of one person to try the service with: crops of one photograph of the models' npm
 * package, with different scales and compressions. Returns the file with the body of a /verify call. Tested
 * in deploy/e2e/readme.stack.test.ts.
 */
export async function writeSamples(folder: string): Promise<string> {
  const body = join(folder, "verify.json");
  if (existsSync(body)) return body;

  const packageFolder = dirname(createRequire(import.meta.url).resolve("@vladmandic/face-api/package.json"));
  const photograph = sharp(join(packageFolder, "demo", "sample6.jpg"));
  const [first, second] = await Promise.all([
    photograph.clone().extract(wideCrop).jpeg({ quality: 90 }).toBuffer(),
    photograph
      .clone()
      .extract(closeCrop)
      .resize({ width: Math.round(closeCrop.width * 0.6) })
      .jpeg({ quality: 60 })
      .toBuffer(),
  ]);

  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "first.jpg"), first);
  writeFileSync(join(folder, "second.jpg"), second);
  // Written last, because its presence means that the others are complete.
  writeFileSync(body, JSON.stringify({ img1: first.toString("base64"), img2: second.toString("base64") }));
  return body;
}

/** Around the face at the left of the photograph, in its pixels. */
const wideCrop = { left: 120, top: 360, width: 520, height: 520 };
const closeCrop = { left: 180, top: 430, width: 420, height: 440 };
