import { describeImage } from "@faceline/images/describe";
import { jpegMarkers } from "@faceline/images/jpeg-segments";
import PQueue from "p-queue";
import type { Size } from "../geometry/pixels.ts";
import { decodeDraft } from "./draft.ts";
import { type Image, type ImageLimits, type Rejected, rejected } from "./image.ts";
import { decodeWithLibvips, headerFault } from "./libvips.ts";
import { scaledSize, uprightSize } from "./orientation.ts";
import type { PixelBuffer } from "./pixel-buffers.ts";
import { hasTooManyScans, scansOf } from "./scans.ts";
import { decodeWithTurbojpeg } from "./turbojpeg.ts";
import { decompressScaled } from "./turbojpeg-scaled.ts";

/**
 * Decodes one image, in full or to a draft if that is less work. Its pixels lie in the buffer and are gone
 * when the buffer is released. They are written there during the decode, so the buffer has to stay until the
 * promise has settled.
 */
export type Decode = (
  bytes: Uint8Array,
  buffer: PixelBuffer,
  detail?: ImageDetail,
) => Promise<Image | Rejected>;

/**
 * Decodes images into the buffer of their batch, `decodesMax` at a time. Each decode in flight takes at most
 * `decodingBytesMax`: libvips holds interlaced and progressive images whole, and images whose header shows
 * that they need more are rejected. libjpeg-turbo takes up to 26 MB, for a rotated image of the longest side.
 * Waiting decodes are bounded by the batches that a worker holds.
 */
export class Decoder {
  readonly #limits: ImageLimits;
  readonly #queue: PQueue;

  constructor({ decodesMax, ...limits }: ImageLimits & { decodesMax: number }) {
    this.#limits = limits;
    this.#queue = new PQueue({ concurrency: decodesMax });
  }

  readonly decode: Decode = (bytes, buffer, detail) => {
    const allocate: AllocatePixels = (length) => {
      const pixels = buffer.allocate(length);
      // The settings contradict each other: buffers must be large enough for the batches that a worker takes.
      if (pixels === undefined) {
        throw new Error("a batch has more pixels than its buffer: batchMax is too small");
      }
      return pixels;
    };
    return this.#queue.add(async () => {
      const image = await decodeImage(bytes, this.#limits, allocate, detail);
      if (image.kind === "image") buffer.trim(image.pixels);
      return image;
    });
  };
}

/**
 * Decodes a client's bytes to pixels: upright, sRGB, 8 bits, three channels, in the memory that `allocate`
 * returns. A plain JPEG goes to libjpeg-turbo, which takes 60% of the time, and a third where the image is
 * shrunk. Everything else goes to libvips: other formats, an image beyond the limits, and a JPEG about which
 * libjpeg-turbo had a doubt.
 *
 * So only flawless images go past libvips, which rejects the others; too many scans are rejected before. A
 * flaw in what a draft leaves out is not noticed.
 */
export async function decodeImage(
  bytes: Uint8Array,
  limits: ImageLimits,
  allocate: AllocatePixels = (length) => new Uint8Array(length),
  detail: ImageDetail = "full",
): Promise<Image | Rejected> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const description = describeImage(file);
  const decodeByLibvips = () => decodeWithLibvips(file, description, limits);
  if (description.kind !== "image" || description.jpeg === undefined)
    return moveInto(allocate, await decodeByLibvips());

  const { header, orientation, jpeg } = description;
  const scans = jpeg.isPlain && !jpeg.severalScans ? [] : scansOf(bytes, jpeg.scanAt);
  if (hasTooManyScans(scans)) return rejected("invalid_image");
  if (!jpeg.isPlain || headerFault(header, limits) !== undefined)
    return moveInto(allocate, await decodeByLibvips());

  const stored = { ...header, orientation };
  const original = uprightSize(stored);
  const eighths = eighthsOf(original, limits);
  const scaled = scaledSize(stored, eighths);
  const { width, height } = uprightSize(scaled);
  const decompress = eighths === 8 ? undefined : decompressScaled;
  if (Math.max(width, height) > limits.longSideMaxPx || (eighths < 8 && decompress === undefined)) {
    // libvips shrinks while it decodes.
    return moveInto(allocate, await decodeByLibvips());
  }
  const pixels = allocate(3 * width * height);
  const image = {
    kind: "image",
    originalWidth: original.width,
    originalHeight: original.height,
  } as const;
  if (detail === "draft") {
    const draft = await decodeDraft(bytes, { jpeg: stored, scans, eighths }, pixels);
    if (draft !== undefined) return { ...image, ...draft, isDraft: true };
  }
  const decode = (whole: Uint8Array) => decodeWithTurbojpeg(whole, scaled, pixels, decompress);
  if ((await decode(bytes)) || (!jpeg.severalScans && (await decodeWithEnd(bytes, decode)))) {
    return { ...image, pixels, width, height };
  }
  // libvips shrinks to no more than that.
  const reuse: AllocatePixels = (length) =>
    length <= pixels.length ? pixels.subarray(0, length) : allocate(length);
  return moveInto(reuse, await decodeByLibvips());
}

/**
 * Decodes a JPEG of one scan that lacks only its end marker, as some cameras write them. libjpeg-turbo warns
 * if pixels are missing before a marker. libvips would not, so it never gets such a file; and nothing tells
 * how many scans a progressive image had.
 */
async function decodeWithEnd(
  bytes: Uint8Array,
  decode: (whole: Uint8Array) => Promise<boolean>,
): Promise<boolean> {
  if (bytes.at(-2) === 0xff && bytes.at(-1) === jpegMarkers.endOfImage) return false;
  const whole = Buffer.concat([bytes, Buffer.of(0xff, jpegMarkers.endOfImage)]);
  try {
    return await decode(whole);
  } finally {
    whole.fill(0);
  }
}

/** The scale of an image: a too large one is decoded at the smallest scale that gives the shrunk size. */
function eighthsOf({ width, height }: Size, { longSideMaxPx, shrunkSidePx }: ImageLimits): number {
  const side = Math.max(width, height);
  return side <= longSideMaxPx ? 8 : Math.ceil((8 * Math.min(shrunkSidePx, longSideMaxPx)) / side);
}

/** Copies the pixels into their own memory, and zeroes those of libvips. */
function moveInto(allocate: AllocatePixels, image: Image | Rejected): Image | Rejected {
  if (image.kind === "rejected") return image;
  const pixels = allocate(image.pixels.length);
  pixels.set(image.pixels);
  image.pixels.fill(0);
  return { ...image, pixels };
}

/** `draft`: less detail suffices, if that is less work. The image says whether it is one. */
export type ImageDetail = "draft" | "full";

/** Memory for this many bytes, which begins at a multiple of 8 bytes. */
type AllocatePixels = (length: number) => Uint8Array;
