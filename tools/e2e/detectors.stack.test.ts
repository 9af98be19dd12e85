// Covers lanes of several detectors on the same workers: /verify, /compare and /represent see the same faces
// with each of them, in images of two people, tight, far, turned and cut ones.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import { CompareResponse } from "@faceline/contracts/http/compare";
import { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { RepresentResponse } from "@faceline/contracts/http/represent";
import { VerifyResponse } from "@faceline/contracts/http/verify";
import { readCatalogue } from "@faceline/models/catalogue";
import { modelsFolder } from "@faceline/models/model-file";
import { isUnpulled } from "@faceline/models/source";
import sharp from "sharp";
import { portraitCrops, samplesFolder } from "@faceline/testing/faces";
import type { Post } from "./stack/api-client.ts";
import { startStack } from "./stack/stack.ts";

const catalogue = await readCatalogue();
const isAbsent = isUnpulled(
  process.env["MODELS_DIR"] ?? modelsFolder,
  catalogue.find("detector", "faceboxes")!.source,
);
const detectors = ["auto", "ssd", "blazeface", ...(isAbsent ? [] : ["faceboxes"])];
const settings = { DETECTORS: detectors.join() };

test("each detector is served, and all calls see the same faces with it", async (t) => {
  if (isAbsent) t.diagnostic("NOT TESTED: faceboxes; npm run models -- pull faceboxes fetches its weights");
  const { address, post } = await startStack(t, { settings });
  const images = await scenes();
  const stranger = (await portrait(2)).toString("base64");

  await t.test("/capabilities lists it with its licence, and says what its cascade may miss", async () => {
    const response = CapabilitiesResponse.parse(await (await fetch(`${address}/capabilities`)).json());
    assert.deepEqual(response.detectors.toSorted(), detectors.toSorted());
    assert.equal(response.default_detector, "auto");
    for (const name of detectors) {
      const { status, missed_width_share } = response.detector_details[name]!;
      const { cascade } = catalogue.detector(name)!.first;
      assert.deepEqual([status, missed_width_share], ["ready", cascade?.missed_width_share ?? null], name);
    }
  });

  for (const detector_backend of detectors) {
    await t.test(`${detector_backend}: /verify with each metric`, async () => {
      const img = (await portrait(0)).toString("base64");
      for (const distance_metric of DistanceMetric.options) {
        const call = { detector_backend, distance_metric };
        const same = await ask(post, "/verify", { img1: img, img2: img, ...call }, VerifyResponse);
        const different = await ask(post, "/verify", { img1: img, img2: stranger, ...call }, VerifyResponse);
        assert.deepEqual([same.verified, different.verified], [true, false], distance_metric);
        assert.equal(same.detector_backend, detector_backend);
      }
    });

    for (const { name, image, faces } of images) {
      await t.test(`${detector_backend}: ${name}`, async () => {
        const img = image.toString("base64");
        const represented = await ask(post, "/represent", { img, detector_backend }, RepresentResponse);
        assert.equal(represented.results.length, faces, "/represent");
        const verified = await ask(
          post,
          "/verify",
          { img1: img, img2: img, detector_backend },
          VerifyResponse,
        );
        const { faces_compared } = verified;
        assert.deepEqual(
          [verified.verified, faces_compared],
          [true, { img1: faces, img2: faces }],
          "/verify",
        );
        const compared = await ask(
          post,
          "/compare",
          { img, candidates: [img, stranger], detector_backend },
          CompareResponse,
        );
        assert.deepEqual(
          compared.results.map((result) => "match" in result && result.match),
          [true, false],
          "/compare",
        );
        // What is stored from /represent is the person that /verify sees.
        const [largest] = represented.results;
        const stored = await ask(
          post,
          "/verify",
          {
            img1: largest!.embedding,
            img2: img,
            detector_backend,
            model_version: largest!.model_version,
          },
          VerifyResponse,
        );
        assert.equal(stored.verified, true, "an embedding of /represent against the image");
      });
    }
  }
});

/** Images made of the samples, and how many faces each shows. */
async function scenes(): Promise<{ name: string; image: Buffer; faces: number }[]> {
  const [one, two] = [await portrait(0), await portrait(1)];
  const grey = "#7c8a91";
  const side = (bytes: Buffer, px: number) => sharp(bytes).resize(px).toBuffer();
  const canvas = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: grey } }).png();
  const middle = { left: 120, top: 70, width: 200, height: 260 };
  return [
    {
      name: "two people",
      image: await canvas(900, 500)
        .composite([
          { input: one, left: 10, top: 30 },
          { input: await side(two, 360), left: 490, top: 60 },
        ])
        .toBuffer(),
      faces: 2,
    },
    {
      name: "tight, 150 pixels wide",
      image: await sharp(one).extract(middle).resize(150).png().toBuffer(),
      faces: 1,
    },
    {
      name: "far",
      image: await sharp(await side(two, 280))
        .extend({ left: 460, right: 460, top: 280, bottom: 340, extendWith: "copy" })
        .toBuffer(),
      faces: 1,
    },
    {
      name: "turned by 30 degrees",
      image: await sharp(one).rotate(30, { background: grey }).png().toBuffer(),
      faces: 1,
    },
    {
      name: "cut by the rim",
      image: await sharp(one).extract({ left: 170, top: 0, width: 270, height: 440 }).png().toBuffer(),
      faces: 1,
    },
  ];
}

async function portrait(index: number): Promise<Buffer> {
  const { file, ...area } = portraitCrops[index]!;
  return sharp(join(samplesFolder, file)).extract(area).png().toBuffer();
}

async function ask<Response>(
  post: Post,
  path: string,
  body: object,
  { parse }: { parse(body: unknown): Response },
): Promise<Response> {
  const response = await post(path, body);
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return parse(response.body);
}
