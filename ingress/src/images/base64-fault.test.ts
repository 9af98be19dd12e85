import assert from "node:assert/strict";
import { test } from "node:test";
import { base64Image } from "../../testing/server.ts";
import { base64Fault, encodingFault, isImageInNumbers } from "./base64-fault.ts";

const image = await base64Image();

const python = "as Python writes bytes: send base64.b64encode(data).decode()";
const asText = "is the bytes of a file as text: send Base64, or a file of a form";
const texts: [text: string, from: number, fault: string][] = [
  [`b'${image}'`, 0, `is not valid Base64: character 2 is a single quote, ${python}`],
  [`b"${image}"`, 0, `is not valid Base64: character 2 is a double quote, ${python}`],
  [`"${image}"`, 0, "is not valid Base64: character 1 is a double quote: send the text without quotes"],
  ["AAAA*AAA", 0, 'is not valid Base64: character 5 is "*"'],
  ["AAAA\u2026", 0, "is not valid Base64: character 5 is U+2026"],
  ["AAAA\u{1f600}", 0, "is not valid Base64: character 5 is U+1F600"],
  ["AAAA\0", 0, "is not valid Base64: character 5 is U+0000"],
  ["AA==AAAA", 0, 'is not valid Base64: character 4 is "="'],
  ["AAAAA", 0, "is not valid Base64: by its length, a character is missing"],
  ["data:;base64,AA!A", 13, 'is not valid Base64: character 16 is "!"'],
  ["\ufffd\ufffd\ufffd\ufffd\0\x10JFIF", 0, asText],
  ["\x89PNG\r\n", 0, asText],
  ["\ufffdPNG\r\n", 0, asText],
  ["ÿØÿà", 0, asText],
  ["data:image/png,AAAA", 0, 'is a data URL without ";base64,"'],
];

for (const [text, from, fault] of texts) {
  test(`${JSON.stringify(text.slice(0, 24))} ${fault}`, () => assert.equal(base64Fault(text, from), fault));
}

test("an image that was encoded twice, or as hexadecimal, is known by its first bytes", () => {
  const twice = "holds Base64 of an image in place of its bytes: encode it once";
  for (const inner of [image, `data:image/jpeg;base64,${image}`, `b'${image}'`, `"${image}"`, `\n${image}`])
    assert.equal(encodingFault(Buffer.from(inner)), twice, inner.slice(0, 30));
  const hex = Buffer.from(image, "base64").toString("hex");
  // As the bytes of a file, and as a text that was taken for Base64.
  for (const bytes of [Buffer.from(hex), Buffer.from(`0x${hex}`), Buffer.from(hex, "base64")])
    assert.equal(encodingFault(bytes), "is hexadecimal: send Base64");
  for (const other of ["", "a text", Buffer.alloc(400)])
    assert.equal(encodingFault(Buffer.from(other)), undefined);
});

test("an image as numbers is known by its first bytes", () => {
  const bytes = Buffer.from(image, "base64");
  for (const value of [[...bytes], bytes.toJSON(), new Uint8Array(bytes)])
    assert.ok(isImageInNumbers(JSON.parse(JSON.stringify(value))));
  for (const value of [null, "text", [], [0.1, 0.2], { data: image }, [255, "216"], Array(200).fill(255)])
    assert.ok(!isImageInNumbers(value));
});
