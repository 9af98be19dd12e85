// Run as a process of its own by ../src/decode/decoding-memory.test.ts, because the peak of a process never
// falls.
import { readFileSync } from "node:fs";
import sharp from "sharp";
import { decodeImage } from "../src/decode/decoder.ts";
import { defaultImageLimits } from "../src/decode/image.ts";

/**
 * Prints by how many bytes decoding the images of standard input, one after the other, raises the resident
 * memory at its peak, and how much CPU time all take. Each image comes behind its length, in four bytes.
 */
const input = readFileSync(0);
const images: Buffer[] = [];
for (let at = 0; at < input.length; at += 4 + input.readUInt32BE(at)) {
  images.push(input.subarray(at + 4, at + 4 + input.readUInt32BE(at)));
}
const limits = { ...defaultImageLimits, decodingBytesMax: Number.POSITIVE_INFINITY };
// The first decode loads the libraries.
const first = sharp({ create: { width: 64, height: 64, channels: 3, background: "teal" } });
for (const encoded of [first.clone().png(), first.clone().avif({ effort: 0 })]) {
  await decodeImage(await encoded.toBuffer(), limits);
}

const kib = (field: string): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync("/proc/self/status", "utf8"))![1]);
const before = kib("VmRSS");
const cpuBefore = process.cpuUsage();
const kinds: string[] = [];
for (const image of images) kinds.push((await decodeImage(image, limits)).kind);
const { user, system } = process.cpuUsage(cpuBefore);
const cpuMs = (user + system) / 1_000;
process.stdout.write(JSON.stringify({ kinds, cpuMs, bytes: 1_024 * (kib("VmHWM") - before) }));
