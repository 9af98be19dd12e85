/** For tests: both ways to decode a picture, side by side. */
import assert from "node:assert/strict";
import { mock, type TestContext } from "node:test";
import turbojpeg from "@julusian/jpeg-turbo";
import { decodePicture } from "./decoder.ts";
import { decodeByLibvips } from "./libvips.ts";
import type { OddPicture } from "./odd-pictures.ts";
import { type Picture, type PictureLimits, pictureLimits, type Rejected } from "./picture.ts";

/** Asserts that a picture comes out the same whichever way it goes, and counts which way it went. */
export class Ways {
  readonly cases = { all: 0, turbo: 0, refused: 0 };
  readonly worst = { mean: 0, single: 0 };
  readonly #limits: PictureLimits;

  constructor(limits: Partial<PictureLimits> = {}) {
    this.#limits = { ...pictureLimits, ...limits };
  }

  async compare({ name, bytes, damaged = false }: OddPicture): Promise<void> {
    const { chosen, libvips } = await this.decode(bytes);
    assert.deepEqual(verdictOf(chosen), verdictOf(libvips), name);
    if (chosen.kind === "rejected" || libvips.kind === "rejected" || damaged) return;
    const { mean, single } = difference(chosen, libvips);
    this.worst.mean = Math.max(this.worst.mean, mean);
    this.worst.single = Math.max(this.worst.single, single);
    assert.ok(
      mean <= MEAN_MAX && single <= SINGLE_MAX,
      `${name}: ${mean.toFixed(2)} on the mean, ${single} at most`,
    );
  }

  /** As a worker decodes it, and by libvips alone. */
  async decode(bytes: Uint8Array): Promise<Record<"chosen" | "libvips", Picture | Rejected>> {
    const chosen = await this.#chosen(bytes);
    const libvips = await decodeByLibvips(bytes, this.#limits);
    this.cases.all++;
    if (libvips.kind === "rejected") this.cases.refused++;
    return { chosen, libvips };
  }

  diagnose(t: TestContext): void {
    t.diagnostic(JSON.stringify({ ...this.cases, ...this.worst }));
  }

  async #chosen(bytes: Uint8Array): Promise<Picture | Rejected> {
    const decompress = mock.method(turbojpeg, "decompress");
    try {
      const chosen = await decodePicture(bytes, this.#limits);
      const begun = decompress.mock.calls.filter((call) => call.error === undefined);
      const ends = await Promise.allSettled(begun.map(async (call) => call.result));
      this.cases.turbo += ends.filter((end) => end.status === "fulfilled").length;
      return chosen;
    } finally {
      decompress.mock.restore();
    }
  }
}

// libjpeg-turbo is asked, by the package that binds it, for the faster of its cosine transforms, which rounds down where
// the one of libvips rounds: 1 level of 255 on the mean. In single pixels it may be 20 where tables are fine or edges hard.
const MEAN_MAX = 1.8;
const SINGLE_MAX = 24;

function verdictOf(result: Picture | Rejected): object {
  if (result.kind === "rejected") return result;
  const { kind, width, height, originalWidth, originalHeight, pixels } = result;
  return { kind, width, height, originalWidth, originalHeight, bytes: pixels.length };
}

function difference(left: Picture, right: Picture): { mean: number; single: number } {
  let sum = 0;
  let single = 0;
  for (let i = 0; i < left.pixels.length; i++) {
    const apart = Math.abs(left.pixels[i]! - right.pixels[i]!);
    sum += apart;
    if (apart > single) single = apart;
  }
  return { mean: sum / left.pixels.length, single };
}
