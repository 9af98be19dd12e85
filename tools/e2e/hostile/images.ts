import { crc32, deflateSync } from "node:zlib";
import { metadataBombs, pngChunk, withPngChunks } from "@faceline/images/testing/metadata-bombs";
import sharp, { type Sharp } from "sharp";
import { type ExpectedEnd, type HostileCall, jsonBody, marker } from "./hostile-call.ts";

/** Images of every encoding, truncated images, false sizes in headers, and polyglot files. */
export async function images(portrait: Buffer): Promise<HostileCall[]> {
  const lists = await Promise.all([
    encodings(portrait),
    orientations(portrait),
    small(),
    truncated(portrait),
    falseSizes(portrait),
    withMetadata(portrait),
  ]);
  return [...lists.flat(), ...polyglots(portrait, await sharp(portrait).avif().toBuffer()), ...others];
}

async function encodings(portrait: Buffer): Promise<HostileCall[]> {
  const image = () => sharp(portrait);
  const variants = {
    "a CMYK JPEG": image().toColourspace("cmyk").jpeg(),
    "a progressive JPEG": image().jpeg({ progressive: true }),
    "a grey JPEG": image().greyscale().jpeg(),
    "a JPEG with the profile of a screen": image().withIccProfile("p3").jpeg(),
    "a JPEG without subsampling": image().jpeg({ chromaSubsampling: "4:4:4" }),
    "a PNG of 16 bits": image().toColourspace("rgb16").png(),
    "a grey PNG of 16 bits": image().toColourspace("grey16").png(),
    "a PNG with a palette": image().png({ palette: true }),
    "an interlaced PNG": image().png({ progressive: true }),
    "a PNG with alpha": image().ensureAlpha(0.9).png(),
    "a lossless WebP": image().webp({ lossless: true }),
    "an AVIF": image().avif(),
    "an AVIF of 10 bits with alpha": image().ensureAlpha(0.9).avif({ bitdepth: 10 }),
    "an animated WebP": sharp([portrait, portrait, portrait], { join: { animated: true } }).webp(),
  };
  const made = Object.entries(variants).map(async ([name, each]) => call(name, await each.toBuffer(), "ok"));
  return Promise.all(made);
}

/** All eight EXIF orientations, each with the pixels that a camera held that way would store. */
function orientations(portrait: Buffer): Promise<HostileCall[]> {
  const transforms = [
    (it: Sharp) => it,
    (it: Sharp) => it.flop(),
    (it: Sharp) => it.rotate(180),
    (it: Sharp) => it.flip(),
    (it: Sharp) => it.flip().rotate(90),
    (it: Sharp) => it.rotate(270),
    (it: Sharp) => it.flop().rotate(90),
    (it: Sharp) => it.rotate(90),
  ];
  const made = transforms.map(async (turn, index) => {
    const orientation = index + 1;
    const bytes = await turn(sharp(portrait)).withMetadata({ orientation }).jpeg().toBuffer();
    return call(`EXIF orientation ${orientation}`, bytes, "ok");
  });
  return Promise.all(made);
}

async function small(): Promise<HostileCall[]> {
  const sizes = [
    [1, 1],
    [15, 400],
    [400, 15],
  ];
  const made = formats.flatMap((format) =>
    sizes.map(async ([width, height]) => {
      const plain = sharp({ create: { width: width!, height: height!, channels: 3, background: "teal" } });
      return call(
        `${width} × ${height} as ${format}`,
        await plain.toFormat(format).toBuffer(),
        "image_too_small",
      );
    }),
  );
  return Promise.all(made);
}

/** 0 to 90% of each. The ingress rejects those without a complete header, the worker the others. */
async function truncated(portrait: Buffer): Promise<HostileCall[]> {
  const made = formats.map(async (format) => {
    const whole = await sharp(portrait).toFormat(format).toBuffer();
    return tenths.map((tenth) => {
      const part = whole.subarray(0, (tenth * whole.length) / 10);
      return call(`${tenth * 10}% of a ${format}`, part, tenth === 0 ? "missing_image" : "invalid_image");
    });
  });
  return (await Promise.all(made)).flat();
}

const formats = ["jpeg", "png", "webp", "avif"] as const;
const tenths = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/** Headers with a false size, such as 40,000 × 40,000, before a small image. */
async function falseSizes(portrait: Buffer): Promise<HostileCall[]> {
  const [png, avif] = await Promise.all([
    sharp(portrait).png().toBuffer(),
    sharp(portrait).avif().toBuffer(),
  ]);
  const sides: [number, number, ExpectedEnd][] = [
    [40_000, 40_000, "image_too_large"],
    [65_500, 700, "image_too_large"],
    [0, 0, "invalid_image"],
    [0, 40_000, "invalid_image"],
  ];
  return sides.flatMap(([width, height, ends]) => [
    call(`a JPEG that says ${width} × ${height}`, jpegOf(portrait, width, height), ends),
    call(`a PNG that says ${width} × ${height}`, pngOf(png, width, height), ends),
    call(`an AVIF that says ${width} × ${height}`, avifOf(avif, width, height), ends),
    ...(width === 0 ? [] : [call(`a WebP that says ${width} × ${height}`, webpOf(width, height), ends)]),
  ]);
}

function jpegOf(jpeg: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(jpeg);
  const frame = changed.indexOf(Buffer.from([0xff, 0xc0]));
  changed.writeUInt16BE(height, frame + 5);
  changed.writeUInt16BE(width, frame + 7);
  return changed;
}

function pngOf(png: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(png);
  changed.writeUInt32BE(width, 16);
  changed.writeUInt32BE(height, 20);
  changed.writeUInt32BE(crc32(changed.subarray(12, 29)), 29);
  return changed;
}

/** The AV1 data still say the true size. */
function avifOf(avif: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(avif);
  const size = changed.indexOf("ispe");
  changed.writeUInt32BE(width, size + 8);
  changed.writeUInt32BE(height, size + 12);
  return changed;
}

/** An extended WebP with a canvas and no image. */
function webpOf(width: number, height: number): Buffer {
  const chunk = Buffer.alloc(18);
  chunk.write("VP8X");
  chunk.writeUInt32LE(10, 4);
  chunk.writeUIntLE(width - 1, 12, 3);
  chunk.writeUIntLE(height - 1, 15, 3);
  const head = Buffer.from("RIFF----WEBP");
  head.writeUInt32LE(4 + chunk.length, 4);
  return Buffer.concat([head, chunk]);
}

/** A small image with what libraries inflate, copy or walk beside it. */
async function withMetadata(portrait: Buffer): Promise<HostileCall[]> {
  const side = 320;
  const small = sharp(portrait).resize(side, side, { fit: "cover" });
  const [png, webp, jpeg] = await Promise.all([
    small.clone().png().toBuffer(),
    small.clone().webp().toBuffer(),
    small.clone().jpeg().toBuffer(),
  ]);
  const bombs = Object.entries(metadataBombs({ png, webp, jpeg }, { side, frames: 100 }));
  const unending = withPngChunks(png, [pngChunk("IDAT", deflateSync(Buffer.alloc(2 ** 30)))]);
  return [
    ...bombs.map(([name, bytes]) => call(name, bytes, "ok")),
    call("a PNG of more pixels than it says", unending, "invalid_image"),
  ];
}

function polyglots(portrait: Buffer, avif: Buffer): HostileCall[] {
  const script = `<script>alert("${marker}")</script>`;
  const variants: [string, string | Buffer, string | Buffer, ExpectedEnd][] = [
    ["a JPEG with a ZIP behind it", portrait, `PK\x03\x04${marker}`, "ok"],
    ["a JPEG with a page behind it", portrait, script, "ok"],
    ["a JPEG with another behind it", portrait, portrait, "ok"],
    ["a page with a JPEG inside", `<html>${script}`, portrait, "unsupported_image_format"],
    ["a GIF that is a script", `GIF89a/*${marker}*/=1;alert(1)`, portrait, "unsupported_image_format"],
    ["a PDF with a JPEG inside", `%PDF-1.7\n${marker}`, portrait, "unsupported_image_format"],
    ["a JPEG after a blank", " ", portrait, "ok"],
    ["the first bytes of a JPEG, then a page", Buffer.from([0xff, 0xd8, 0xff]), script, "invalid_image"],
    ["the first bytes of a JPEG, then an SVG", Buffer.from([0xff, 0xd8, 0xff, 0xe0]), svg, "invalid_image"],
    ["the first bytes of a PNG, then a page", "\x89PNG\r\n\x1a\n", script, "invalid_image"],
    ["the first bytes of an AVIF, then a page", "\0\0\0\x18ftypavif", script, "invalid_image"],
    ["an AVIF of two files", avif, avif, "invalid_image"],
    ["an AVIF with a page behind it", avif, script, "invalid_image"],
    ["the first bytes of a WebP, then a page", "RIFF\x40\0\0\0WEBP", script, "invalid_image"],
    ["the first bytes of a WebP, then a WAV", "RIFF\x40\0\0\0WAVE", script, "unsupported_image_format"],
  ];
  return variants.map(([name, first, second, ends]) =>
    call(
      name,
      Buffer.concat(
        [first, second].map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)),
      ),
      ends,
    ),
  );
}

const svg = `<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/><text>${marker}</text></svg>`;

/** Files of other formats, which libvips or another library would open. */
const others = [
  svg,
  `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${svg}`,
  `%PDF-1.7 ${marker}`,
  `%!PS-Adobe-3.0 ${marker}`,
  `II*\0\x08\0\0\0${marker}`,
  `\0\0\0\x18ftypheic${marker}`,
  `\0\0\0\x18ftypavis${marker}`,
  `\0\0\0\x0cJXL \r\n\x87\n${marker}`,
  `\x7fELF\x02\x01${marker}`,
  `push graphic-context\nfill 'url(https://example.org/${marker})'`,
  marker,
].map((content, index) =>
  call(`another kind of file, ${index + 1}`, Buffer.from(content, "latin1"), "unsupported_image_format"),
);

function call(name: string, image: Buffer, ends: ExpectedEnd): HostileCall {
  return {
    name,
    path: "/represent",
    body: jsonBody({ img: image.toString("base64"), detector_backend: "auto" }),
    ends,
  };
}
