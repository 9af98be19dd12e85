import type { PictureSize, Trace } from "../trace/trace.ts";
import { sizedJpeg } from "./sized-jpeg.ts";

/**
 * Makes the pictures of a trace before it is replayed, in Base64, so that nothing is encoded meanwhile. The
 * sizes are the recorded ones. Where a trace has so many that they would not fit, sizes that are close to
 * each other share a picture: see `roundedTo`.
 */
export async function stockPictures(
  trace: Trace,
  photographs: readonly Buffer[],
  progress: (line: string) => void,
): Promise<PictureStock> {
  const { bytes, pixels } = trace.columns;
  const step = steps.find((each) => fits(distinctSizes(trace, each))) ?? steps.at(-1)!;
  const sizes = [...distinctSizes(trace, step).values()];
  const perSize = Math.max(1, Math.min(photographs.length, Math.floor(fewPictures / sizes.length)));
  const pictures: Uint8Array<SharedArrayBuffer>[] = [];
  const firstOf = new Map<string, number>();
  let larger = 0;
  for (const [index, size] of sizes.entries()) {
    progress(`pictures: ${index + 1} of ${sizes.length} sizes`);
    firstOf.set(keyOf(size, step), pictures.length);
    for (let i = 0; i < perSize; i++) {
      const jpeg = await sizedJpeg(photographs[(index + i) % photographs.length]!, size);
      if (jpeg.length > size.bytes) larger++;
      pictures.push(sharedBase64(jpeg));
    }
  }
  // The pictures of a call differ as far as there are several of a size.
  const pictureOf = new Uint32Array(new SharedArrayBuffer(4 * trace.pictures));
  for (const index of pictureOf.keys()) {
    const size = { bytes: bytes[index]!, pixels: pixels[index]! };
    pictureOf[index] = firstOf.get(keyOf(size, step))! + (index % perSize);
  }
  return { pictures, pictureOf, roundedTo: step, larger };
}

/** One size of each class, the largest. */
function distinctSizes(trace: Trace, step: number): Map<string, PictureSize> {
  const { bytes, pixels } = trace.columns;
  const sizes = new Map<string, PictureSize>();
  for (let index = 0; index < trace.pictures; index++) {
    const size = { bytes: bytes[index]!, pixels: pixels[index]! };
    const key = keyOf(size, step);
    const known = sizes.get(key);
    if (known === undefined || known.bytes < size.bytes) sizes.set(key, size);
    if (sizes.size > sizesMax) return sizes;
  }
  return sizes;
}

function fits(sizes: ReadonlyMap<string, PictureSize>): boolean {
  return sizes.size <= sizesMax && sizes.values().reduce((sum, { bytes }) => sum + bytes, 0) <= stockBytesMax;
}

/** Class of a size. A step of 1 makes each size a class of its own. */
function keyOf({ bytes, pixels }: PictureSize, step: number): string {
  if (step === 1) return `${bytes} ${pixels}`;
  const classOf = (value: number) => Math.round(Math.log(value) / Math.log(step));
  return `${classOf(bytes)} ${classOf(pixels)}`;
}

function sharedBase64(jpeg: Buffer): Uint8Array<SharedArrayBuffer> {
  const text = jpeg.toString("base64");
  const shared = new Uint8Array(new SharedArrayBuffer(text.length));
  shared.set(Buffer.from(text, "latin1"));
  return shared;
}

/** Ratios between classes of bytes and of pixels; the last one fits whatever the service accepts. */
const steps = [1, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 4];
const sizesMax = 512;
const stockBytesMax = 256 * 2 ** 20;
/** Up to so many pictures, several photographs are used for each size. */
const fewPictures = 64;

/** Can be sent to another thread as it is. */
export type PictureStock = {
  /** JPEGs in Base64. */
  pictures: Uint8Array<SharedArrayBuffer>[];
  /** The index in `pictures` of each picture of the trace. */
  pictureOf: Uint32Array<SharedArrayBuffer>;
  /** Sizes within this ratio share a picture; 1: none do. */
  roundedTo: number;
  /** Pictures that have more bytes than recorded, because a photograph did not fit. */
  larger: number;
};
