import sharp, { type Sharp } from "sharp";
import type { Image } from "../src/decode/image.ts";

/** An image of four colours, red, green over blue, white: `cornersOf` shows how it was turned. */
export function quarters(width: number, height: number): Sharp {
  const quarter = (background: string) => ({
    input: { create: { width: width / 2, height: height / 2, channels: 3 as const, background } },
  });
  return sharp({ create: { width, height, channels: 3, background: "#ff0000" } }).composite([
    { ...quarter("#00ff00"), left: width / 2, top: 0 },
    { ...quarter("#0000ff"), left: 0, top: height / 2 },
    { ...quarter("#ffffff"), left: width / 2, top: height / 2 },
  ]);
}

/** The colours of the upright image: upper left and right, lower left and right. */
export const uprightCorners = ["red", "green", "blue", "white"];

export function cornersOf(image: Image): string[] {
  const [right, bottom] = [image.width - 2, image.height - 2];
  const names: Record<string, string> = { "100": "red", "010": "green", "001": "blue", "111": "white" };
  return [
    pixelAt(image, 1, 1),
    pixelAt(image, right, 1),
    pixelAt(image, 1, bottom),
    pixelAt(image, right, bottom),
  ].map((pixel) => names[pixel.map((value) => (value > 128 ? 1 : 0)).join("")] ?? pixel.join());
}

export function pixelAt({ pixels, width }: Image, x: number, y: number): number[] {
  return [...pixels.subarray(3 * (y * width + x), 3 * (y * width + x) + 3)];
}
