import assert from "node:assert/strict";
import { test } from "node:test";
import { walkJpegSegments } from "./jpeg-segments.ts";

const startOfImage = Buffer.of(0xff, 0xd8);
const comment = Buffer.of(0xff, 0xfe, 0, 3, 7);
const scan = Buffer.of(0xff, 0xda, 0, 2);
const endOfImage = Buffer.of(0xff, 0xd9);

test("a segment is visited with its marker, its payload and its end", () => {
  const visits: number[][] = [];
  walkJpegSegments(Buffer.concat([startOfImage, comment, scan]), "header", (...visit) => {
    visits.push(visit);
    return "continue";
  });
  assert.deepEqual(visits, [
    [0xfe, 6, 7],
    [0xda, 11, 11],
  ]);
});

test("a visitor can stop the walk", () => {
  let visits = 0;
  walkJpegSegments(Buffer.concat([startOfImage, comment, comment]), "file", () => {
    visits++;
    return "stop";
  });
  assert.equal(visits, 1);
});

test("a header ends at the first byte that starts no segment, and a file at the end of the image", () => {
  for (const between of [Buffer.of(0xff), Buffer.of(0), Buffer.of(0xff, 0xd0), Buffer.of(0x12, 0xff, 0)]) {
    const jpeg = Buffer.concat([startOfImage, comment, between, comment, endOfImage, comment]);
    assert.deepEqual([visitsOf(jpeg, "header"), visitsOf(jpeg, "file")], [1, 2], between.toString("hex"));
  }
});

test("a malicious header is abandoned after 600 segments", () => {
  for (const body of [Buffer.of(0xff, 0xfe, 0, 2), Buffer.of(0xff, 0xe1, 0, 2), Buffer.of(0xff)]) {
    const jpeg = Buffer.concat([startOfImage, Buffer.alloc(10_000_000, body)]);
    assert.equal(visitsOf(jpeg, "header"), body.length === 1 ? 0 : 600);
  }
});

test("a length that points backwards or past the end of the file ends the walk", () => {
  for (const length of [0, 1, 0xffff]) {
    const jpeg = Buffer.concat([startOfImage, Buffer.of(0xff, 0xfe, length >> 8, length & 0xff), endOfImage]);
    for (const extent of ["header", "file"] as const) assert.equal(visitsOf(jpeg, extent), 1);
  }
});

function visitsOf(jpeg: Buffer, extent: "header" | "file"): number {
  let visits = 0;
  walkJpegSegments(jpeg, extent, () => {
    visits++;
    return "continue";
  });
  return visits;
}
