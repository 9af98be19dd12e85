import PQueue from "p-queue";
import { type PlainJpeg, plainJpeg } from "./jpeg-header.ts";
import { hasTooManyScans } from "./jpeg-scans.ts";
import { decodeByLibvips } from "./libvips.ts";
import { type Picture, type PictureLimits, type Rejected, rejected } from "./picture.ts";
import type { PixelRoom } from "./pixel-rooms.ts";
import { decodeByTurbo } from "./turbojpeg.ts";
import { uprightSize } from "./turn.ts";

/**
 * The pixels of the picture that it returns lie in the room, and are gone when the room is. They are written there while
 * it decodes, so the room has to stay until it is done.
 */
export type Decode = (bytes: Uint8Array, room: PixelRoom) => Promise<Picture | Rejected>;

/**
 * Decodes pictures into the room of their batch, a few at a time: libvips holds a whole picture for each decode in
 * flight, up to 120 MB at 40 megapixels; libjpeg-turbo, of a picture that is not shrunk, up to 66 MB. What waits is bounded by
 * the batches that a worker holds.
 */
export class Decoder {
  readonly #limits: PictureLimits;
  readonly #queue: PQueue;

  constructor({ decodesMax, ...limits }: PictureLimits & { decodesMax: number }) {
    this.#limits = limits;
    this.#queue = new PQueue({ concurrency: decodesMax });
  }

  readonly decode: Decode = (bytes, room) =>
    this.#queue.add(() =>
      decodePicture(bytes, this.#limits, (length) => {
        const pixels = room.reserve(length);
        // A limit of ours, named to the operator: the rooms must be made for the batches that a worker takes.
        if (pixels === undefined)
          throw new Error("a batch has more pixels than its room: batchMax is too small");
        return pixels;
      }),
    );
}

/**
 * Bytes as a client sent them → pixels: upright, sRGB, 8 bits, three channels, where `place` says. A plain JPEG goes to
 * libjpeg-turbo, which takes 60 % of the time; whatever is another thing, too large, too small, or raises a doubt on the way goes
 * to libvips, and its word is the last. So only one of them refuses, and only pictures without a flaw pass the other.
 */
export async function decodePicture(
  bytes: Uint8Array,
  limits: PictureLimits,
  place: Place = (length) => new Uint8Array(length),
): Promise<Picture | Rejected> {
  const jpeg = plainJpeg(bytes);
  if (jpeg?.progressive !== false && hasTooManyScans(bytes)) return rejected("invalid_image");
  if (jpeg === undefined || !within(jpeg, limits)) return placed(await decodeByLibvips(bytes, limits), place);

  const { width, height } = uprightSize(jpeg);
  if (Math.max(width, height) > limits.longSideMax) {
    // Shrunk while it is decoded. That its header is known saves a look at it.
    const header = { kind: "header", width, height, cmyk: false, alpha: false } as const;
    return placed(await decodeByLibvips(bytes, limits, header), place);
  }
  const pixels = place(3 * width * height);
  if (await decodeByTurbo(bytes, jpeg, pixels)) {
    return { kind: "picture", pixels, width, height, originalWidth: width, originalHeight: height };
  }
  return placed(await decodeByLibvips(bytes, limits), (length) =>
    length === pixels.length ? pixels : place(length),
  );
}

function within({ width, height }: PlainJpeg, { pixelsMax, sideMin }: PictureLimits): boolean {
  return width * height <= pixelsMax && Math.min(width, height) >= sideMin;
}

function placed(picture: Picture | Rejected, place: Place): Picture | Rejected {
  if (picture.kind === "rejected") return picture;
  const pixels = place(picture.pixels.length);
  pixels.set(picture.pixels);
  picture.pixels.fill(0);
  return { ...picture, pixels };
}

/** Memory for so many bytes that begins at a whole word. */
export type Place = (length: number) => Uint8Array;
