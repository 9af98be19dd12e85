import assert from "node:assert/strict";
import { test } from "node:test";
import { noise } from "@faceline/models/testing/images";
import sharp from "sharp";
import { DecoderComparison } from "../../testing/compare-decoders.ts";
import { segmentOffset } from "../../testing/jpeg-cases.ts";
import { groupPhotograph } from "../../testing/photographs.ts";

// Four hundred JPEGs with one to three changed bytes, half of them in the header, half behind it. Many can
// still be read. Both decoders must give the same code, or an image of the same size. Pixels are not
// compared: where a table or a coefficient is absurd, each decoder overflows in its own way. Replay one with:
// SEED=417 node --test src/decode/decoder-comparison.sim.test.ts
test("a JPEG with a few damaged bytes is read or rejected by both decoders alike", async (t) => {
  const comparison = new DecoderComparison();
  const all = await originals();
  for (const seed of seeds()) {
    const original = all[seed % all.length]!;
    await comparison.compare({ name: `seed ${seed}`, bytes: damaged(original, seed), damaged: true });
  }
  comparison.diagnose(t);
  if (process.env["SEED"] !== undefined) return;
  assert.ok(comparison.counts.turbo > comparison.counts.all / 4, "too few are still plain");
  assert.ok(comparison.counts.rejected > comparison.counts.all / 10, "too few are rejected");
});

const seeds = (): number[] => {
  const { SEED: one } = process.env;
  return one === undefined ? Array.from({ length: 400 }, (_, seed) => seed) : [Number(one)];
};

async function originals(): Promise<Buffer[]> {
  const image = sharp(await sharp(groupPhotograph(1)).resize(96, 80).png().toBuffer());
  const jpegs: Promise<Buffer>[] = [];
  for (const orientation of [1, 6, 8]) {
    for (const options of [{}, { progressive: true }, { mozjpeg: true }, { chromaSubsampling: "4:4:4" }]) {
      jpegs.push(image.clone().jpeg(options).withMetadata({ orientation }).toBuffer());
    }
    jpegs.push(
      image
        .clone()
        .greyscale()
        .jpeg()
        .withExif({ IFD0: { Software: "a camera" } })
        .toBuffer(),
    );
  }
  return Promise.all(jpegs);
}

function damaged(original: Buffer, seed: number): Buffer {
  // 48 bytes.
  const random = Buffer.from(noise(4, seed));
  const damaged = Buffer.from(original);
  const data = segmentOffset(original, 0xda);
  for (let change = 0; change <= random[0]! % 3; change++) {
    const [where, how] = [random.readUInt32LE(4 + 8 * change), random.readUInt32LE(8 + 8 * change)];
    const at = random[1]! % 2 === 0 ? where % (data + 14) : data + (where % (original.length - data));
    damaged[at] = how % 2 === 0 ? how >>> 24 : damaged[at]! ^ (1 << ((how >>> 8) % 8));
  }
  return damaged;
}
