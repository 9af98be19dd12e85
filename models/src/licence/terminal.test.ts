import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { askAtTerminal } from "./terminal.ts";

test("the answer is the line that was typed, after the question", async () => {
  const { input, output, stop } = streams();
  input.write("y\n");
  assert.equal(await askAtTerminal("Accept? ", { input, output, stop }), "y");
  assert.equal(output.read().toString(), "Accept? ");
});

test("an input that ends is an empty answer", async () => {
  const { input, output, stop } = streams();
  input.end();
  assert.equal(await askAtTerminal("Accept? ", { input, output, stop }), "");
});

test("a stop ends the question with its reason", async () => {
  const { input, output, stop } = streams();
  const answer = askAtTerminal("Accept? ", { input, output, stop });
  stop.abort(new Error("The pull was stopped."));
  await assert.rejects(answer, { message: "The pull was stopped." });
});

function streams() {
  return { input: new PassThrough(), output: new PassThrough(), stop: new AbortController() };
}
