import * as z from "zod";
import { Vector, vectorLengthMax } from "./vector.ts";

const asText =
  "The image itself, as Base64 or as a data URL: JPEG, PNG or WebP. Addresses and paths are not opened.";

/** An image as it came: Base64 or a data URL in a text, or the bytes of a form's file. */
export const Image = z
  .custom<Image>(isImage, "must be an image: Base64, a data URL, or a file of a form")
  .meta({ type: "string", minLength: 1, contentEncoding: "base64", description: asText });
export type Image = string | Uint8Array;

/** An image, or the vector that it had become earlier. */
export const ImageOrVector = z.union(
  [Image, Vector],
  `must be an image (Base64, a data URL, or a file of a form) or a list of 1 to ${vectorLengthMax} finite numbers`,
);

function isImage(given: unknown): given is Image {
  return typeof given === "string" || given instanceof Uint8Array;
}
