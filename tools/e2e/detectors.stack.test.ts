// Covers lanes of several detectors on the same workers: /verify, /compare and /represent see the same faces
// with each of them. tools/accuracy/agreement.test.ts has tight, far, turned and cut ones.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import { CompareResponse } from "@faceline/contracts/http/compare";
import { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { Problem } from "@faceline/contracts/http/problem";
import { RepresentResponse } from "@faceline/contracts/http/represent";
import { VerifyResponse } from "@faceline/contracts/http/verify";
import { readCatalogue } from "@faceline/models/catalogue";
import { modelsFolder } from "@faceline/models/model-file";
import { isUnpulled } from "@faceline/models/source";
import sharp from "sharp";
import { portraitCrops, portraitWithPasserBy, samplesFolder } from "@faceline/testing/faces";
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
  const image = (await twoPeople()).toString("base64");
  const passerBy = (await portraitWithPasserBy()).toString("base64");
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

  await t.test("single_only rejects a second person, however small", async () => {
    for (const field of ["img1", "img2"]) {
      const both = { img1: stranger, img2: stranger, [field]: passerBy };
      const response = await post("/verify", { ...both, face_policy: "single_only" });
      const problem = Problem.parse(response.body);
      assert.deepEqual([response.status, problem.error, problem.field], [400, "multiple_faces", field]);
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

    await t.test(`${detector_backend}: two people`, async () => {
      const represented = await ask(post, "/represent", { img: image, detector_backend }, RepresentResponse);
      assert.equal(represented.results.length, 2, "/represent");
      const verified = await ask(
        post,
        "/verify",
        { img1: image, img2: image, detector_backend },
        VerifyResponse,
      );
      const { faces_compared } = verified;
      assert.deepEqual([verified.verified, faces_compared], [true, { img1: 2, img2: 2 }], "/verify");
      const compared = await ask(
        post,
        "/compare",
        { img: image, candidates: [image, stranger], detector_backend },
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
          img2: image,
          detector_backend,
          model_version: largest!.model_version,
        },
        VerifyResponse,
      );
      assert.equal(stored.verified, true, "an embedding of /represent against the image");
    });
  }
});

async function twoPeople(): Promise<Buffer> {
  const [one, two] = [await portrait(0), await portrait(1)];
  const background = { width: 900, height: 500, channels: 3, background: "#7c8a91" } as const;
  return sharp({ create: background })
    .png()
    .composite([
      { input: one, left: 10, top: 30 },
      { input: await sharp(two).resize(360).toBuffer(), left: 490, top: 60 },
    ])
    .toBuffer();
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
