import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeEmbedding } from "@faceline/contracts/wire/face";
import { laneId } from "@faceline/contracts/wire/ids";
import { readCatalogue } from "@faceline/models/catalogue";
import sharp from "sharp";
import { distances } from "../../testing/distances.ts";
import { oneAtATime } from "../../testing/lane-settings.ts";
import {
  builtModels,
  labelledNames,
  labelledPairs,
  labelledPhotograph,
  labelledPhotographsMissing,
} from "../../testing/photographs.ts";
import { decodeImage } from "../decode/decoder.ts";
import { defaultImageLimits } from "../decode/image.ts";
import { openLanes } from "./lanes.ts";

// One image in three formats through the whole engine. libjpeg-turbo decodes the JPEG, libvips the AVIF and
// the PNG, which has the pixels that libvips makes of the JPEG: so no verdict depends on the decoder.

const lane = laneId("Dlib", "ssd");
/** The first five images take 12 s, and all of them, with IMAGES=25, five times as long. */
const imagesMax = Number(process.env["IMAGES"] ?? 5);

test("AVIF and PNG copies of the labelled photographs get the verdicts of the JPEGs", {
  skip: labelledPhotographsMissing,
}, async (t) => {
  await using lanes = await openLanes({ modelsDir: await builtModels(), lanes: [lane], ...oneAtATime });
  const embeddingOf = async (file: Buffer): Promise<Float32Array> => {
    const image = await decodeImage(file, defaultImageLimits);
    assert.equal(image.kind, "image");
    const options = { align: true, enforceDetection: true, facesMax: 1, fullResolution: false };
    const { results } = await lanes.run({ lane, images: [{ ...image, options }] });
    const [result] = results;
    assert.equal(result?.kind, "faces");
    return decodeEmbedding(result.faces[0]!.embedding);
  };
  const names = labelledNames().slice(0, imagesMax);
  const pairs = labelledPairs().filter(({ left, right }) => names.includes(left) && names.includes(right));
  const embeddings = new Map<string, Record<Format, Float32Array>>();
  for (const name of names) {
    const jpeg = labelledPhotograph(name);
    const upright = sharp(jpeg).autoOrient();
    const avif = await upright.clone().avif({ quality, effort: 0, chromaSubsampling: "4:2:0" }).toBuffer();
    const png = await upright.clone().png({ compressionLevel: 1 }).toBuffer();
    embeddings.set(name, {
      jpeg: await embeddingOf(jpeg),
      avif: await embeddingOf(avif),
      png: await embeddingOf(png),
    });
  }
  assert.ok(pairs.some(({ same }) => same) && pairs.some(({ same }) => !same), `${pairs.length} pairs`);

  const { thresholds } = (await readCatalogue()).find("embedding", "Dlib")!;
  for (const metric of ["cosine", "euclidean"] as const) {
    const threshold = thresholds[metric];
    let changeMax = 0;
    let margin = Number.POSITIVE_INFINITY;
    for (const { left, right, same } of pairs) {
      const [one, other] = [embeddings.get(left)!, embeddings.get(right)!];
      const fromJpeg = distances[metric](one.jpeg, other.jpeg);
      // Both in another format, and one of each.
      for (const [format, second] of [
        ["avif", "avif"],
        ["avif", "jpeg"],
        ["png", "png"],
        ["png", "jpeg"],
      ] as const) {
        const distance = distances[metric](one[format], other[second]);
        const summary = `${left} ${right}: ${metric} ${distance} as ${format}, ${second}; JPEG ${fromJpeg}`;
        assert.equal(distance <= threshold, same, summary);
        changeMax = Math.max(changeMax, Math.abs(distance - fromJpeg));
        margin = Math.min(margin, Math.abs(distance - threshold));
      }
    }
    t.diagnostic(
      `${pairs.length} pairs, ${metric}: changes ≤ ${changeMax.toFixed(4)}, margin ${margin.toFixed(4)}`,
    );
  }
});

type Format = "jpeg" | "avif" | "png";

/** The usual quality of encoders: files of a third of the JPEG's size. */
const quality = 60;
