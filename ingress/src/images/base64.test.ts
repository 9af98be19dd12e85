import assert from "node:assert/strict";
import { test } from "node:test";
import { base64Image } from "../../testing/server.ts";
import { imageBytes } from "./base64.ts";

const ref = { field: "img1", index: 0, label: "img1" };
const read = (value: string | undefined, bytesMax = 10_000) =>
  imageBytes(value, ref, { IMAGE_BYTES_MAX: bytesMax });
const codeOf = (value: string | undefined, bytesMax?: number): string => {
  try {
    read(value, bytesMax);
  } catch (error) {
    return (error as { code: string }).code;
  }
  return "none";
};

test("an image is Base64 or a data URL, whatever type the URL claims", async () => {
  for (const format of ["jpeg", "png", "webp", "avif"] as const) {
    const base64 = await base64Image(32, format);
    const bytes = Buffer.from(base64, "base64");
    assert.deepEqual(read(base64), bytes);
    assert.deepEqual(read(`data:image/${format};base64,${base64}`), bytes);
    assert.deepEqual(read(`data:text/html;charset=utf-8;base64,${base64}`), bytes);
  }
});

test("white space, the URL alphabet and missing padding are tolerated", async () => {
  const base64 = await base64Image(32, "webp");
  const bytes = Buffer.from(base64, "base64");
  assert.deepEqual(read(`\n ${base64.replace(/.{76}/g, "$&\r\n")}\n`), bytes);
  assert.deepEqual(read(base64.replaceAll("+", "-").replaceAll("/", "_")), bytes);
  assert.deepEqual(read(base64.replace(/=+$/, "")), bytes);
});

test("absent or empty → missing_image", () => {
  for (const value of [undefined, "", "  \n", "data:image/png;base64,", "data:;base64, "]) {
    assert.equal(codeOf(value), "missing_image", JSON.stringify(value));
  }
});

test("a scheme or a path → unsupported_image_source", () => {
  const addresses = [
    "http://example.org/a.jpg",
    "https://example.org/a",
    "file:///etc/passwd",
    "FTP://example.org/a",
    "s3:bucket",
    "C:\\images\\a.jpg",
    "/etc/passwd",
    "/home/ann",
    "./a.jpg",
    "../a",
    "~/a.png",
    "\\\\server\\share",
    "tests/dataset/img1.jpg",
    "img 1.jpeg",
  ];
  for (const value of addresses) assert.equal(codeOf(value), "unsupported_image_source", value);
});

test("not Base64 → invalid_image", async () => {
  const base64 = await base64Image();
  const broken = [
    "%%%%",
    "hello, world",
    "data:image/png,not-base64",
    "A",
    "AAAAA",
    `${base64.slice(0, 40)}*${base64.slice(41)}`,
    `${base64.slice(0, 40)}==${base64.slice(40)}`,
    "\0\0\0\0",
    "\ud800AAA",
  ];
  for (const value of broken) assert.equal(codeOf(value), "invalid_image", JSON.stringify(value));
});

test("other bytes → unsupported_image_format", async () => {
  const text = Buffer.from("This is a text file.").toString("base64");
  for (const value of [text, await base64Image(32, "gif"), "AAAA", "AA=="]) {
    assert.equal(codeOf(value), "unsupported_image_format", value);
  }
});

test("Limits: more bytes than an image may have → image_too_large, before they are decoded", async () => {
  const base64 = await base64Image();
  const { length } = Buffer.from(base64, "base64");
  assert.equal(codeOf(base64, length), "none");
  assert.equal(codeOf(base64, length - 1), "image_too_large");
});

test("an error names the image and repeats nothing of it", () => {
  assert.throws(
    () => read("SECRETSECRETSECRET!"),
    (error: Error) => {
      assert.deepEqual((error as Error & { details: object }).details, { field: "img1", index: 0 });
      return !error.message.includes("SECRET");
    },
  );
});
