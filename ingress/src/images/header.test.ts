import assert from "node:assert/strict";
import { test } from "node:test";
import { base64Image } from "../../testing/server.ts";
import { HeaderChecker } from "./header.ts";

const ref = { field: "img", label: "img" };
const plain = Buffer.from(await base64Image(), "base64");
// A fill byte between two markers: valid, but only libvips reads it.
const unusual = Buffer.concat([plain.subarray(0, 2), Buffer.of(0xff), plain.subarray(2)]);
const damaged = unusual.subarray(0, 20);

test("headers that need libvips are read in turn, some may wait, and further ones are refused", async () => {
  const checker = new HeaderChecker({
    IMAGE_PIXELS_MAX: 1_024,
    IMAGE_SIDE_MIN_PX: 32,
    HEADER_CHECKS_MAX: 1,
    HEADER_CHECKS_WAITING_MAX: 1,
  });
  const checks = await Promise.allSettled(
    [unusual, damaged, unusual, plain].map((image) => checker.check(image, ref)),
  );
  const codes = checks.map((check) => (check.status === "fulfilled" ? "ok" : check.reason.code));
  assert.deepEqual(codes, ["ok", "invalid_image", "queue_full", "ok"]);
  await checker.check(unusual, ref);
});

test("the limits hold for headers that libvips reads, too", async () => {
  const limits = { HEADER_CHECKS_MAX: 1, HEADER_CHECKS_WAITING_MAX: 1 };
  const large = new HeaderChecker({ ...limits, IMAGE_PIXELS_MAX: 1_023, IMAGE_SIDE_MIN_PX: 16 });
  const small = new HeaderChecker({ ...limits, IMAGE_PIXELS_MAX: 1_024, IMAGE_SIDE_MIN_PX: 33 });
  await assert.rejects(large.check(unusual, ref), { code: "image_too_large" });
  await assert.rejects(small.check(unusual, ref), { code: "image_too_small" });
});
