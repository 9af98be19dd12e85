import assert from "node:assert/strict";
import { test } from "node:test";
import { walkJpegSegments } from "./jpeg-segments.ts";

const startOfImage = Buffer.of(0xff, 0xd8);
const comment = Buffer.of(0xff, 0xfe, 0, 3, 7);
const scan = Buffer.of(0xff, 0xda, 0, 2);
const endOfImage = Buffer.of(0xff, 0xd9);

test("a segment is visited with its marker, its payload and its end", () => {
  const visits: number[][] = [];
  walkJpegSegments(Buffer.concat([startOfImage, comment, scan]), 2, (...visit) => {
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
  walkJpegSegments(Buffer.concat([startOfImage, comment, comment]), 2, () => {
    visits++;
    return "stop";
  });
  assert.equal(visits, 1);
});

test("bytes that start no segment are skipped, up to the end of the image", () => {
  for (const between of [Buffer.of(0xff), Buffer.of(0), Buffer.of(0xff, 0xd0), Buffer.of(0x12, 0xff, 0)]) {
    const jpeg = Buffer.concat([startOfImage, comment, between, comment, endOfImage, comment]);
    assert.equal(visitsOf(jpeg), 2, between.toString("hex"));
  }
});

test("a length that points backwards or past the end of the file ends the walk", () => {
  for (const length of [0, 1, 0xffff]) {
    const jpeg = Buffer.concat([startOfImage, Buffer.of(0xff, 0xfe, length >> 8, length & 0xff), endOfImage]);
    assert.equal(visitsOf(jpeg), 1);
  }
});

function visitsOf(jpeg: Buffer): number {
  let visits = 0;
  walkJpegSegments(jpeg, 2, () => {
    visits++;
    return "continue";
  });
  return visits;
}
