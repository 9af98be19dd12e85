import assert from "node:assert/strict";
import { test } from "node:test";
import { readGreymap } from "./greymap.ts";

const greymap = (header: string, ...grey: number[]) =>
  readGreymap(Buffer.concat([Buffer.from(header), Buffer.from(grey)]));

test("a greymap becomes RGB, row by row", () => {
  const read = greymap("P5\n2 1\n255\n", 10, 13);
  assert.deepEqual([read?.width, read?.height, ...read!.pixels], [2, 1, 10, 10, 10, 13, 13, 13]);
});

test("line ends that a text mode has put into pixels are undone, and others stay", () => {
  assert.deepEqual([...greymap("P5\r\n2 1\r\n255\r\n", 13, 10, 7)!.pixels], [10, 10, 10, 7, 7, 7]);
  assert.deepEqual([...greymap("P5\n2 1\n255\n", 13, 10)!.pixels], [13, 13, 13, 10, 10, 10]);
});

test("a file that is cut off, or of another kind, has no pixels", () => {
  assert.equal(greymap("P5\n2 1\n255\n", 10), undefined);
  assert.equal(greymap("P6\n2 1\n255\n", 1, 2, 3, 4, 5, 6), undefined);
});
