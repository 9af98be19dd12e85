import { type Dimensions, plainDimensions } from "@faceline/contracts/image/dimensions";
import sharp from "sharp";
import { type Place, refusalAt } from "../refusal.ts";
import type { Turnstile } from "./turnstile.ts";

// libvips would otherwise open whatever it can: SVG, PDF, GIF. The format is known by then; this is the second lock.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp"] });
sharp.cache(false);
sharp.concurrency(1);

/**
 * Throws unless the image's header says that a worker may decode it. Reads no pixel: a picture that would unpack to
 * gigabytes costs as little as any other.
 */
export async function checkHeader(
  image: Buffer,
  place: Place,
  limits: HeaderLimits,
  turnstile: Turnstile,
): Promise<void> {
  const { width, height } = plainDimensions(image) ?? (await turnstile.through(() => doubtful(image, place)));
  if (width * height > limits.IMAGE_PIXELS_MAX) {
    const detail = `The image in ${place.called} has more than ${limits.IMAGE_PIXELS_MAX} pixels.`;
    throw refusalAt(place, "image_too_large", detail);
  }
  if (Math.min(width, height) < limits.IMAGE_SIDE_MIN_PX) {
    const detail = `The image in ${place.called} has a side of less than ${limits.IMAGE_SIDE_MIN_PX} pixels.`;
    throw refusalAt(place, "image_too_small", detail);
  }
}

/** Throws where libvips finds no header either. */
async function doubtful(image: Buffer, place: Place): Promise<Dimensions> {
  try {
    // The pixel limit is ours to word, so sharp's own is off.
    return await sharp(image, { limitInputPixels: false }).metadata();
  } catch {
    throw refusalAt(place, "invalid_image", `The image in ${place.called} is damaged.`);
  }
}

export type HeaderLimits = { IMAGE_PIXELS_MAX: number; IMAGE_SIDE_MIN_PX: number };
