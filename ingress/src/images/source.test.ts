import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../stage.ts";
import { imageBytes } from "./source.ts";

const place = { field: "img1", index: 0, called: "img1" };
const open = (given: string | undefined, most = 10_000) =>
  imageBytes(given, place, { IMAGE_BYTES_MAX: most });
const codeOf = (given: string | undefined, most?: number): string => {
  try {
    open(given, most);
  } catch (error) {
    return (error as { code: string }).code;
  }
  return "none";
};

test("an image is Base64 or a data URL, whatever type the URL claims", async () => {
  for (const format of ["jpeg", "png", "webp"] as const) {
    const base64 = await picture(32, format);
    const bytes = Buffer.from(base64, "base64");
    assert.deepEqual(open(base64), bytes);
    assert.deepEqual(open(`data:image/${format};base64,${base64}`), bytes);
    assert.deepEqual(open(`data:text/html;charset=utf-8;base64,${base64}`), bytes);
  }
});

test("white space, the URL alphabet and missing padding are tolerated", async () => {
  const base64 = await picture(32, "webp");
  const bytes = Buffer.from(base64, "base64");
  assert.deepEqual(open(`\n ${base64.replace(/.{76}/g, "$&\r\n")}\n`), bytes);
  assert.deepEqual(open(base64.replaceAll("+", "-").replaceAll("/", "_")), bytes);
  assert.deepEqual(open(base64.replace(/=+$/, "")), bytes);
});

test("absent or empty → missing_image", () => {
  for (const given of [undefined, "", "  \n", "data:image/png;base64,", "data:;base64, "]) {
    assert.equal(codeOf(given), "missing_image", JSON.stringify(given));
  }
});

test("a scheme or a path → unsupported_image_source", () => {
  const elsewhere = [
    "http://example.org/a.jpg",
    "https://example.org/a",
    "file:///etc/passwd",
    "FTP://example.org/a",
    "s3:bucket",
    "C:\\pictures\\a.jpg",
    "/etc/passwd",
    "/home/ann",
    "./a.jpg",
    "../a",
    "~/a.png",
    "\\\\server\\share",
    "tests/dataset/img1.jpg",
    "img 1.jpeg",
  ];
  for (const given of elsewhere) assert.equal(codeOf(given), "unsupported_image_source", given);
});

test("not Base64 → invalid_image", async () => {
  const base64 = await picture();
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
  for (const given of broken) assert.equal(codeOf(given), "invalid_image", JSON.stringify(given));
});

test("other bytes → unsupported_image_format", async () => {
  const text = Buffer.from("This is a text file.").toString("base64");
  for (const given of [text, await picture(32, "gif"), "AAAA", "AA=="]) {
    assert.equal(codeOf(given), "unsupported_image_format", given);
  }
});

test("Limits: more bytes than an image may have → image_too_large, before they are decoded", async () => {
  const base64 = await picture();
  const { length } = Buffer.from(base64, "base64");
  assert.equal(codeOf(base64, length), "none");
  assert.equal(codeOf(base64, length - 1), "image_too_large");
});

test("an error names the image and repeats nothing of it", () => {
  assert.throws(
    () => open("SECRETSECRETSECRET!"),
    (error: Error) => {
      assert.deepEqual((error as Error & { about: object }).about, { field: "img1", index: 0 });
      return !error.message.includes("SECRET");
    },
  );
});
