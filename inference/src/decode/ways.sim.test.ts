import assert from "node:assert/strict";
import { test } from "node:test";
import { noise } from "@faceline/models/pictures";
import sharp from "sharp";
import { groupPhotograph } from "../engine/photographs.ts";
import { segmentOf } from "./odd-jpegs.ts";
import { Ways } from "./ways.ts";

// Two thousand JPEGs with one to three bytes that were changed, half of them in the header, half behind it. Many can
// still be read. Whichever way they go: the same code, or a picture of the same size. Nothing is said of pixels: where a
// table or a coefficient has become absurd, both overflow, each in its own way.
// Replay one with: SEED=417 node --test src/decode/ways.sim.test.ts
test("damaged in a few bytes, a JPEG is read or refused alike whichever way it goes", async (t) => {
  const ways = new Ways();
  const whole = await victims();
  for (const seed of seeds()) {
    const victim = whole[seed % whole.length]!;
    await ways.compare({ name: `seed ${seed}`, bytes: damaged(victim, seed), damaged: true });
  }
  ways.diagnose(t);
  if (process.env["SEED"] !== undefined) return;
  assert.ok(ways.cases.turbo > ways.cases.all / 4, "many are still plain");
  assert.ok(ways.cases.refused > ways.cases.all / 10, "many are refused");
});

const seeds = (): number[] => {
  const { SEED: one } = process.env;
  return one === undefined ? Array.from({ length: 2_000 }, (_, seed) => seed) : [Number(one)];
};

async function victims(): Promise<Buffer[]> {
  const picture = sharp(await sharp(groupPhotograph(1)).resize(96, 80).png().toBuffer());
  const jpegs: Promise<Buffer>[] = [];
  for (const orientation of [1, 6, 8]) {
    for (const options of [{}, { progressive: true }, { mozjpeg: true }, { chromaSubsampling: "4:4:4" }]) {
      jpegs.push(picture.clone().jpeg(options).withMetadata({ orientation }).toBuffer());
    }
    jpegs.push(
      picture
        .clone()
        .greyscale()
        .jpeg()
        .withExif({ IFD0: { Software: "a camera" } })
        .toBuffer(),
    );
  }
  return Promise.all(jpegs);
}

function damaged(victim: Buffer, seed: number): Buffer {
  // 48 bytes.
  const drawn = Buffer.from(noise(4, seed));
  const damaged = Buffer.from(victim);
  const data = segmentOf(victim, 0xda);
  for (let change = 0; change <= drawn[0]! % 3; change++) {
    const [where, how] = [drawn.readUInt32LE(4 + 8 * change), drawn.readUInt32LE(8 + 8 * change)];
    const at = drawn[1]! % 2 === 0 ? where % (data + 14) : data + (where % (victim.length - data));
    damaged[at] = how % 2 === 0 ? how >>> 24 : damaged[at]! ^ (1 << ((how >>> 8) % 8));
  }
  return damaged;
}
