import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import { groupPhotograph } from "../../testing/photographs.ts";
import { decodeImage } from "./decoder.ts";
import { defaultImageLimits, type Image } from "./image.ts";
import { scansOf } from "./scans.ts";
import { decompressScaled } from "./turbojpeg-scaled.ts";

const unscaled = decompressScaled === undefined ? "libjpeg-turbo decodes no scales here" : false;
const photograph = sharp(groupPhotograph(1)).resize(1_200, 900, { fit: "cover" });
const progressive = await photograph.clone().jpeg({ quality: 90, progressive: true }).toBuffer();

test("the draft of a large progressive image has its size, and nearly its pixels", async () => {
  for (const orientation of [1, 6]) {
    const bytes = await sharp(progressive)
      .withMetadata({ orientation })
      .jpeg({ progressive: true })
      .toBuffer();
    const before = Buffer.from(bytes);
    const [draft, full] = [await decoded(bytes, "draft"), await decoded(bytes, "full")];
    assert.equal(draft.isDraft, true);
    assert.equal(full.isDraft, undefined);
    assert.deepEqual([draft.width, draft.height], orientation === 1 ? [1_200, 900] : [900, 1_200]);
    assert.deepEqual([draft.originalWidth, draft.originalHeight], [full.width, full.height]);
    const difference = meanDifference(draft, full);
    assert.ok(difference > 0 && difference < 2, `${difference} levels`);
    assert.ok(bytes.equals(before), "the file is as it was");
  }
});

test("the draft of an image that is twice as large as any network's input has half its sides", {
  skip: unscaled,
}, async () => {
  const large = photograph.clone().resize(1_601, 1_200, { fit: "fill" });
  for (const progressive of [false, true]) {
    for (const orientation of [1, 6]) {
      const bytes = await large.clone().withMetadata({ orientation }).jpeg({ progressive }).toBuffer();
      const before = Buffer.from(bytes);
      const [draft, full] = [await decoded(bytes, "draft"), await decoded(bytes, "full")];
      assert.equal(draft.isDraft, true);
      assert.deepEqual([draft.width, draft.height], orientation === 1 ? [801, 600] : [600, 801]);
      assert.deepEqual([draft.originalWidth, draft.originalHeight], [full.width, full.height]);
      const small = sharp(full.pixels, { raw: { width: full.width, height: full.height, channels: 3 } });
      const pixels = await small.resize(draft.width, draft.height, { fit: "fill" }).raw().toBuffer();
      const difference = meanDifference(draft, { ...draft, pixels });
      assert.ok(difference < 4, `${difference} levels`);
      assert.ok(bytes.equals(before), "the file is as it was");
    }
  }
});

test("small, baseline and other images have no draft", async () => {
  const small = await photograph.clone().resize(900).jpeg({ progressive: true }).toBuffer();
  const baseline = await photograph.clone().jpeg().toBuffer();
  const png = await photograph.clone().png({ compressionLevel: 1 }).toBuffer();
  for (const bytes of [small, baseline, png]) {
    assert.equal((await decoded(bytes, "draft")).isDraft, undefined);
  }
});

test("a file whose end is missing has no draft, wherever it was cut", async () => {
  const { at } = scansOf(progressive, 2).at(-1)!;
  for (const length of [at, at + 2, at + 8, at + 100, progressive.length - 100, progressive.length - 1]) {
    const result = await decodeImage(progressive.subarray(0, length), defaultImageLimits, undefined, "draft");
    // Codes are compared, never images: printing the difference of their pixels would take gigabytes.
    assert.equal(result.kind === "rejected" ? result.code : "an image", "invalid_image", `${length} bytes`);
  }
});

test("a file that is damaged before what a draft leaves out is decoded in full, or rejected", async () => {
  const damaged = Buffer.from(progressive);
  // The third scan ends early.
  damaged.copyWithin(scansOf(progressive, 2)[2]!.at + 40, scansOf(progressive, 2)[3]!.at);
  const [draft, full] = await Promise.all(
    (["draft", "full"] as const).map((detail) =>
      decodeImage(Buffer.from(damaged), defaultImageLimits, undefined, detail),
    ),
  );
  assert.equal(draft!.kind, full!.kind);
  assert.ok(draft!.kind === "rejected" || draft!.isDraft === undefined);
});

async function decoded(bytes: Uint8Array, detail: "draft" | "full"): Promise<Image> {
  const image = await decodeImage(bytes, defaultImageLimits, undefined, detail);
  assert.ok(image.kind === "image");
  return image;
}

function meanDifference(one: Image, other: Image): number {
  const sum = one.pixels.reduce((total, value, i) => total + Math.abs(value - other.pixels[i]!), 0);
  return sum / one.pixels.length;
}
