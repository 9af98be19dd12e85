// Run as a process of its own by ../src/decode/decoding-memory.test.ts, because the peak of a process never
// falls.
import { readFileSync } from "node:fs";
import sharp from "sharp";
import { decodePicture } from "../src/decode/decoder.ts";
import { defaultPictureLimits } from "../src/decode/picture.ts";

/** Prints by how many bytes decoding the image of standard input raises the resident memory at its peak. */
const image = readFileSync(0);
const limits = { ...defaultPictureLimits, decodingBytesMax: Number.POSITIVE_INFINITY };
// The first decode loads the libraries.
const first = sharp({ create: { width: 64, height: 64, channels: 3, background: "teal" } });
for (const encoded of [first.clone().png(), first.clone().avif({ effort: 0 })]) {
  await decodePicture(await encoded.toBuffer(), limits);
}

const kib = (field: string): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync("/proc/self/status", "utf8"))![1]);
const before = kib("VmRSS");
const { kind } = await decodePicture(image, limits);
process.stdout.write(JSON.stringify({ kind, bytes: 1_024 * (kib("VmHWM") - before) }));
