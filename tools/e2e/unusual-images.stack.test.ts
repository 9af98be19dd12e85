import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { Problem } from "@faceline/contracts/http/problem";
import { RepresentResponse } from "@faceline/contracts/http/represent";
import sharp from "sharp";
import { facesFolder, portraits, portraitWithPasserBy, withoutFaces } from "@faceline/testing/faces";
import { readBase64 } from "./stack/api-client.ts";
import { startStack } from "./stack/stack.ts";

const [portrait = Buffer.alloc(0)] = await portraits();

/** 100 megapixels in a few kilobytes. */
const bomb = await sharp({ create: { width: 10_000, height: 10_000, channels: 3, background: "white" } })
  .toColourspace("b-w")
  .png()
  .toBuffer();

const wall = await sharp({ create: { width: 320, height: 240, channels: 3, background: "#7c8a91" } })
  .jpeg()
  .toBuffer();

const images = [
  { name: "a bomb", image: bomb, status: 413, code: "image_too_large" },
  {
    name: "a truncated JPEG",
    image: portrait.subarray(0, portrait.length / 2),
    status: 400,
    code: "invalid_image",
  },
  { name: "an empty string", image: Buffer.alloc(0), status: 400, code: "missing_image" },
  {
    name: "a text file",
    image: Buffer.from("Nobody is here.\n"),
    status: 400,
    code: "unsupported_image_format",
  },
  { name: "an image without a face", image: wall, status: 400, code: "no_face_detected" },
];

test("unusual images, each in one call", async (t) => {
  const { post } = await startStack(t);

  const faces = async (name: string, img: string): Promise<number> => {
    const headers = { "x-request-id": name.replaceAll(" ", "-") };
    const response = await post("/represent", { img }, headers);
    assert.equal(response.status, 200, JSON.stringify(response.body));
    const { results, request_id } = RepresentResponse.parse(response.body);
    assert.equal(request_id, headers["x-request-id"]);
    assert.equal(response.headers.get("x-request-id"), request_id);
    return results.length;
  };

  await t.test("couple.jpg shows two faces", { skip: withoutFaces }, async () => {
    assert.equal(await faces("a couple", readBase64(join(facesFolder, "couple.jpg"))), 2);
  });

  await t.test("single_only rejects a second person, however small", async () => {
    const img = (await portraitWithPasserBy()).toString("base64");
    assert.equal(await faces("a passer-by", img), 2);
    const calls = (["img1", "img2"] as const).map(async (field) => {
      const both = { img1: portrait.toString("base64"), img2: portrait.toString("base64"), [field]: img };
      const response = await post("/verify", { ...both, face_policy: "single_only" });
      const problem = Problem.parse(response.body);
      assert.deepEqual([response.status, problem.error, problem.field], [400, "multiple_faces", field]);
    });
    await Promise.all(calls);
  });

  for (const { name, image, status, code } of images) {
    await t.test(`${name} → ${status} ${code}, and the next call is served`, async () => {
      const headers = { "x-request-id": name.replaceAll(" ", "-") };
      const response = await post("/represent", { img: image.toString("base64") }, headers);
      const problem = Problem.parse(response.body);
      assert.deepEqual([response.status, problem.error, problem.field], [status, code, "img"]);
      assert.equal(problem.request_id, headers["x-request-id"]);
      assert.equal(response.headers.get("x-request-id"), problem.request_id);

      assert.equal(await faces(`after ${name}`, portrait.toString("base64")), 1);
    });
  }
});
