import assert from "node:assert/strict";
import { test } from "node:test";
import { greyWithScans, withSegment } from "../../../testing/jpeg-cases.ts";
import { hasTooManyScans } from "./scans.ts";

test("scans of thumbnails and behind the end do not count, and fill bytes hide none", () => {
  const [few, many] = [greyWithScans(60), greyWithScans(101)];
  const filled = Buffer.concat([many.subarray(0, 2), Buffer.of(0xff, 0xff, 0, 7), many.subarray(2)]);
  assert.equal(hasTooManyScans(few), false);
  assert.equal(hasTooManyScans(withSegment(few, 0xe1, many)), false);
  assert.equal(hasTooManyScans(Buffer.concat([few, many])), false);
  assert.equal(hasTooManyScans(filled), true);
  assert.equal(hasTooManyScans(Buffer.concat([Buffer.of(0x89), many.subarray(1)])), false, "no JPEG");
  assert.equal(hasTooManyScans(greyWithScans(100)), false);
  for (let length = 0; length < few.length; length++) {
    assert.equal(hasTooManyScans(few.subarray(0, length)), false, `${length} bytes`);
  }
});
