import assert from "node:assert/strict";
import { mock, type TestContext } from "node:test";
import { describeImage } from "@faceline/images/describe";
import turbojpeg from "@julusian/jpeg-turbo";
import { decodeImage } from "../src/decode/decoder.ts";
import { defaultImageLimits, type Image, type ImageLimits, type Rejected } from "../src/decode/image.ts";
import { decodeWithLibvips } from "../src/decode/libvips.ts";
import type { ImageCase } from "./image-cases.ts";

/**
 * Decodes images as a worker does and with libvips alone, asserts that both agree, and counts which
 * images libjpeg-turbo decoded.
 */
export class DecoderComparison {
  readonly counts = { all: 0, turbo: 0, rejected: 0 };
  readonly largest = { mean: 0, single: 0 };
  readonly #limits: ImageLimits;

  constructor(limits: Partial<ImageLimits> = {}) {
    this.#limits = { ...defaultImageLimits, ...limits };
  }

  async compare({ name, bytes, damaged = false }: ImageCase): Promise<void> {
    const { actual, libvips } = await this.decode(bytes);
    assert.deepEqual(summaryOf(actual), summaryOf(libvips), name);
    if (actual.kind === "rejected" || libvips.kind === "rejected" || damaged) return;
    const { mean, single } = pixelDifference(actual, libvips);
    this.largest.mean = Math.max(this.largest.mean, mean);
    this.largest.single = Math.max(this.largest.single, single);
    assert.ok(
      mean <= meanDifferenceMax && single <= pixelDifferenceMax,
      `${name}: pixels differ by ${mean.toFixed(2)} in the mean, by ${single} at most`,
    );
  }

  /** Decodes as a worker does, and with libvips alone. */
  async decode(bytes: Uint8Array): Promise<Record<"actual" | "libvips", Image | Rejected>> {
    const actual = await this.#decodeAsWorker(bytes);
    const file = Buffer.from(bytes);
    const libvips = await decodeWithLibvips(file, describeImage(file), this.#limits);
    this.counts.all++;
    if (libvips.kind === "rejected") this.counts.rejected++;
    return { actual, libvips };
  }

  diagnose(t: TestContext): void {
    t.diagnostic(JSON.stringify({ ...this.counts, ...this.largest }));
  }

  async #decodeAsWorker(bytes: Uint8Array): Promise<Image | Rejected> {
    const decompress = mock.method(turbojpeg, "decompress");
    try {
      const actual = await decodeImage(bytes, this.#limits);
      const started = decompress.mock.calls.filter((call) => call.error === undefined);
      const settled = await Promise.allSettled(started.map(async (call) => call.result));
      this.counts.turbo += settled.filter((each) => each.status === "fulfilled").length;
      return actual;
    } finally {
      decompress.mock.restore();
    }
  }
}

// The binding of libjpeg-turbo uses the faster of its cosine transforms, which rounds down where that of
// libvips rounds to the nearest: 1 level of 255 in the mean. Single pixels differ by up to 20 where tables
// are fine or edges are hard.
const meanDifferenceMax = 1.8;
const pixelDifferenceMax = 24;

function summaryOf(result: Image | Rejected): object {
  if (result.kind === "rejected") return result;
  const { kind, width, height, originalWidth, originalHeight, pixels } = result;
  return { kind, width, height, originalWidth, originalHeight, bytes: pixels.length };
}

function pixelDifference(left: Image, right: Image): { mean: number; single: number } {
  let sum = 0;
  let single = 0;
  for (let i = 0; i < left.pixels.length; i++) {
    const difference = Math.abs(left.pixels[i]! - right.pixels[i]!);
    sum += difference;
    if (difference > single) single = difference;
  }
  return { mean: sum / left.pixels.length, single };
}
