import assert from "node:assert/strict";
import test from "node:test";
import { CommandOutput } from "./command-output.ts";

test("a terminal has one line of progress that is replaced, no wider than it, and gone before other lines", () => {
  const written: string[] = [];
  const stream = { isTTY: true, columns: 6, write: (text: string) => written.push(text) };
  const output = new CommandOutput(stream, () => 0);
  output.print("first");
  for (const line of ["one", "two and more"]) output.showProgress(line);
  output.print("done");
  output.showProgress("");
  assert.deepEqual(written, ["first\n", "\r\u001b[Kone", "\r\u001b[Ktwo a", "\r\u001b[K", "done\n"]);
});

test("elsewhere a line of progress comes after 15 s without a line, and none of an empty one", () => {
  const written: string[] = [];
  let at = 0;
  const output = new CommandOutput({ write: (text: string) => written.push(text) }, () => at);
  for (const seconds of [1, 14, 16, 17, 30, 31]) {
    at = 1_000 * seconds;
    output.showProgress(`after ${seconds} s`);
  }
  at = 40_000;
  output.print("a line");
  for (const seconds of [54, 60]) {
    at = 1_000 * seconds;
    output.showProgress(`after ${seconds} s`);
  }
  at = 90_000;
  output.showProgress("");
  assert.deepEqual(written, ["after 16 s\n", "after 31 s\n", "a line\n", "after 60 s\n"]);
});
