import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { Fingerprint } from "./fingerprint.ts";

const form = (body: unknown, url = "/verify") => new Fingerprint(url).digest(body);

async function json(text: string, pieces: number, url = "/verify"): Promise<string> {
  const fingerprint = new Fingerprint(url);
  const bytes = Buffer.from(text);
  const size = Math.ceil(bytes.length / pieces);
  const chunks = Array.from({ length: pieces }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
  const read = await Readable.from(chunks).pipe(fingerprint.hashingStream()).toArray();
  assert.equal(Buffer.concat(read).toString(), text);
  return fingerprint.digest(JSON.parse(text));
}

test("JSON is hashed byte for byte, in whatever chunks it arrives, with path and query", async () => {
  const text = '{"img1":"a","img2":"b"}';
  assert.equal(await json(text, 1), await json(text, 5));
  for (const other of [
    await json('{"img2":"b","img1":"a"}', 1),
    await json(text, 1, "/represent"),
    await json(text, 1, "/verify?format=array"),
  ]) {
    assert.notEqual(other, await json(text, 1));
  }
});

test("forms are hashed by their fields, in whatever order they arrive", () => {
  const one = { img1: Buffer.from("a"), img2: "b", align: true };
  assert.equal(form(one), form({ align: true, img2: "b", img1: Buffer.from("a") }));
  const different = [
    { ...one, align: false },
    { ...one, align: "true" },
    { ...one, img1: "a" },
    { ...one, img1: Buffer.from("b") },
    { img1: one.img1, img2: "b" },
    { a: "b", c: "d" },
    { a: 'b"c', d: "" },
    ["a", "b"],
    ["ab"],
    [["a"], "b"],
    [["a", "b"]],
    null,
    undefined,
  ].map((body) => form(body));
  assert.equal(new Set([form(one), ...different]).size, different.length + 1);
});
