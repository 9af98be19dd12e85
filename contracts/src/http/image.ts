import * as z from "zod";
import { imageFormatNames } from "@faceline/images/format";
import { numbersOfText, Vector, vectorLengthMax } from "./vector.ts";

export const imageFileDescription = `A ${imageFormatNames} file.`;
export const imageDescription = `A ${imageFormatNames} file as Base64 or a data URL. URLs and paths are not opened.`;

/** An image as it was received: a string with Base64 or a data URL, or the bytes of a file in a form. */
export const Image = z
  .custom<Image>(isImage, "must be an image: Base64, a data URL, or a file of a form")
  .meta({ type: "string", minLength: 1, contentEncoding: "base64", description: imageDescription });
export type Image = string | Uint8Array;

/** An image, or the embedding that /represent returned for one earlier, also as a list in a string. */
export const ImageOrVector = z
  .union(
    [Image, Vector],
    `must be an image (Base64, a data URL, or a file of a form) or a list of 1 to ${vectorLengthMax} finite numbers`,
  )
  .transform((value) => (typeof value === "string" ? (numbersOfText(value) ?? value) : value));

function isImage(value: unknown): value is Image {
  return typeof value === "string" || value instanceof Uint8Array;
}
