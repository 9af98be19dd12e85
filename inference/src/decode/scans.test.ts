import assert from "node:assert/strict";
import { test } from "node:test";
import { greyWithScans, withSegment } from "../../testing/jpeg-cases.ts";
import { hasTooManyScans, isLastLumaRefinement, scansOf } from "./scans.ts";

test("scans of thumbnails and behind the end do not count, and fill bytes hide none", () => {
  const [few, many] = [greyWithScans(60), greyWithScans(101)];
  const filled = Buffer.concat([many.subarray(0, 2), Buffer.of(0xff, 0xff, 0, 7), many.subarray(2)]);
  assert.equal(isTooMany(few), false);
  assert.equal(isTooMany(withSegment(few, 0xe1, many)), false);
  assert.equal(isTooMany(Buffer.concat([few, many])), false);
  assert.equal(isTooMany(filled), true);
  assert.equal(isTooMany(greyWithScans(100)), false);
  for (let length = 0; length < few.length; length++) {
    assert.equal(isTooMany(few.subarray(0, length)), false, `${length} bytes`);
  }
});

test("a scan is named by its header: only the last bit of luma alone counts, wherever its marker is", () => {
  const scans = scansOf(greyWithScans(66), 2);
  assert.equal(scans.length, 66);
  // Sixty-three scans give the coefficients, two more refine the first ones, and the first of all is DC.
  assert.deepEqual(
    scans.flatMap((scan, index) => (isLastLumaRefinement(scan) ? index : [])),
    [64, 65],
  );
  const header = (...payload: number[]) => isLastLumaRefinement({ at: 0, payload: Uint8Array.from(payload) });
  assert.equal(header(1, 1, 0, 1, 63, 0x10), true);
  assert.equal(header(1, 1, 0, 1, 63, 0x21), false, "another bit follows");
  assert.equal(header(1, 2, 0, 1, 63, 0x10), false, "chroma");
  assert.equal(header(1, 1, 0, 0, 0, 0x10), false, "DC");
  assert.equal(header(1, 1, 0, 1, 63), false, "cut short");
});

const isTooMany = (bytes: Uint8Array) => hasTooManyScans(scansOf(bytes, 2));
