import assert from "node:assert/strict";
import { test } from "node:test";
import { imageFormat } from "./format.ts";
import { refusedFormatDetail } from "./refused-format.ts";

const heif = (...brands: string[]) =>
  Buffer.from(
    `\0\0\0${String.fromCharCode(8 + 4 * (brands.length + 1))}ftyp${brands[0]}\0\0\0\0${brands.slice(1).join("")}rest`,
    "latin1",
  );

test("HEIC is named, and the sentence says how to make a JPEG of it", () => {
  for (const file of [
    heif("heic", "mif1", "heic"),
    heif("heix"),
    heif("mif1", "heic"),
    heif("msf1", "hevc"),
  ]) {
    assert.equal(imageFormat(file), undefined);
    const detail = refusedFormatDetail(file, "img1");
    assert.match(detail, /^The image in img1 is HEIC, which is not accepted\. Convert it to JPEG: /);
    assert.match(detail, /sips -s format jpeg/);
    assert.match(detail, /heif-convert/);
    assert.match(detail, /Most Compatible/);
  }
});

test("AVIF is accepted by its brand, also where the major brand is that of all HEIF files", () => {
  assert.equal(imageFormat(heif("avif", "mif1", "miaf")), "avif");
  assert.equal(imageFormat(heif("mif1", "miaf", "avif")), "avif");
  assert.equal(imageFormat(heif("avis", "avif")), undefined);
  assert.match(
    refusedFormatDetail(heif("avis", "avif"), "img1"),
    /is an AVIF sequence, which is not accepted/,
  );
});

test("other formats are named with those that are accepted", () => {
  const files: Record<string, string> = {
    GIF: "GIF89a\x20\0\x20\0",
    BMP: "BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0",
    TIFF: "II*\0\x08\0\0\0",
    "JPEG XL": "\0\0\0\x0cJXL \r\n\x87\n",
    "JPEG 2000": "\0\0\0\x0cjP  \r\n\x87\n",
    ICO: "\0\0\x01\0\x02\0\x10\x10",
    Photoshop: "8BPS\0\x01",
    "a raw photograph": "II*\0\x10\0\0\0CR\x02\0",
    "JPEG XR": "II\xbc\x01",
    "a video": "\0\0\0\x18ftypisom\0\0\x02\0isomiso2",
    "a ZIP file": "PK\x03\x04",
    PDF: "%PDF-1.7",
    SVG: '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg">',
  };
  for (const [name, bytes] of Object.entries(files)) {
    const detail = refusedFormatDetail(Buffer.from(bytes, "latin1"), "img2");
    assert.equal(
      detail,
      `The image in img2 is ${name}, which is not accepted. Convert it to JPEG, PNG, WebP or AVIF.`,
    );
  }
});

test("an image whose first bytes are other ones is none, whichever of them it is", () => {
  for (const bytes of ["\xff\xd8\xff", "\x89PNG\r\n\x1a\n", "RIFF____WEBP", "____ftypavif"]) {
    const file = Buffer.from(bytes.padEnd(64, "\0"), "latin1");
    assert.ok(imageFormat(file) !== undefined);
    for (let at = 0; at < bytes.length; at++) {
      if (bytes[at] !== "_")
        assert.equal(imageFormat(Buffer.from(file.with(at, file[at]! ^ 0x20))), undefined, `${bytes} ${at}`);
    }
  }
});

test("other bytes are not named or repeated", () => {
  for (const text of ["BMW is no image", "SECRET", ""]) {
    assert.equal(
      refusedFormatDetail(Buffer.from(text), "img1"),
      "The image in img1 is not JPEG, PNG, WebP or AVIF.",
    );
  }
});
