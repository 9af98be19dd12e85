import assert from "node:assert/strict";
import test from "node:test";
// As the command loads it: it blocks what sharp would read files with.
import "@faceline/inference/decode/decoder";
import { neighbourPairs, photographs, shuffled, sizesText } from "./images.ts";

test("images are measured in a process that has loaded the decoder", async () => {
  assert.match(await sizesText(photographs), /^mean \d\.\d\d Mpx, \d+ KiB$/);
});

test("images are paired with their neighbours by number, each once, up to the count", () => {
  const files = ["/a/img10.jpg", "/a/img2.jpg", "/a/img1.jpg", "/a/img11.jpg", "/a/img3.jpg"];
  assert.deepEqual(neighbourPairs(files, 12), [
    ["/a/img1.jpg", "/a/img2.jpg"],
    ["/a/img3.jpg", "/a/img10.jpg"],
  ]);
  assert.equal(neighbourPairs(files, 1).length, 1);
});

test("the shuffled order is the same every time, and every beginning has both kinds of pairs", () => {
  const pairs = Array.from({ length: 300 }, (_, index) => ({ index, samePerson: index < 38 }));
  const order = shuffled(pairs);
  assert.deepEqual(shuffled(pairs), order);
  assert.deepEqual(
    order.toSorted((a, b) => a.index - b.index),
    pairs,
  );
  const early = order.slice(0, 100).filter(({ samePerson }) => samePerson).length;
  assert.ok(early >= 6 && early <= 19, `${early} of the first 100`);
});
