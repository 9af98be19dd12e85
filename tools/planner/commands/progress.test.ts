import assert from "node:assert/strict";
import test from "node:test";
import { progressOn } from "./progress.ts";

test("a terminal has one line that is replaced, and no wider than it", () => {
  const written: string[] = [];
  const stream = { isTTY: true, columns: 6, write: (text: string) => written.push(text) };
  const progress = progressOn(stream, () => 0);
  for (const line of ["one", "two and more", ""]) progress(line);
  assert.deepEqual(written, ["\r\u001b[Kone", "\r\u001b[Ktwo a", "\r\u001b[K"]);
});

test("elsewhere a line comes every 15 s, and none of an empty one", () => {
  const written: string[] = [];
  let at = 0;
  const progress = progressOn({ write: (text: string) => written.push(text) }, () => at);
  for (const seconds of [1, 14, 16, 17, 30, 31, 32]) {
    at = 1_000 * seconds;
    progress(`after ${seconds} s`);
  }
  at = 60_000;
  progress("");
  assert.deepEqual(written, ["after 16 s\n", "after 31 s\n"]);
});
