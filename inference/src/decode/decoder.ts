import PQueue from "p-queue";
import { decodePicture, type Picture, type PictureLimits, type Rejected } from "./picture.ts";
import type { PixelRoom } from "./pixel-rooms.ts";

/** The pixels of the picture that it returns lie in the room, and are gone when the room is. */
export type Decode = (bytes: Uint8Array, room: PixelRoom) => Promise<Picture | Rejected>;

/**
 * Decodes pictures into the room of their batch, a few at a time: libvips holds a whole picture for each decode in
 * flight, up to 120 MB at 40 megapixels. What waits is bounded by the batches that a worker holds.
 */
export class Decoder {
  readonly #limits: PictureLimits;
  readonly #queue: PQueue;

  constructor({ decodesMax, ...limits }: PictureLimits & { decodesMax: number }) {
    this.#limits = limits;
    this.#queue = new PQueue({ concurrency: decodesMax });
  }

  readonly decode: Decode = (bytes, room) =>
    this.#queue.add(async () => {
      const picture = await decodePicture(bytes, this.#limits);
      if (picture.kind === "rejected") return picture;
      const pixels = room.hold(picture.pixels);
      picture.pixels.fill(0);
      // A limit of ours, named to the operator: the rooms must be made for the batches that a worker takes.
      if (pixels === undefined)
        throw new Error("a batch has more pixels than its room: batchMax is too small");
      return { ...picture, pixels };
    });
}
