import { avifImage } from "@faceline/contracts/image/avif/image";
import { writeAvif } from "@faceline/contracts/image/avif/write";
import { imageFormat } from "@faceline/contracts/image/format";
import { upright } from "./exif-orientation.ts";
import { jpegWithoutMetadata } from "./jpeg.ts";
import type { PlainImage } from "./kept-bytes.ts";
import { pngWithoutMetadata } from "./png.ts";
import { webpWithoutMetadata } from "./webp.ts";

/**
 * Returns an image without whatever is not pixels: texts, thumbnails, profiles, further frames and bytes
 * behind its end. Libraries inflate, copy and print those before they decode, so a file of 57 KB took 350 MiB
 * that no header tells of. The orientation is kept, in the smallest EXIF block that says it, and the colour
 * profile of a CMYK JPEG. Returns the image itself where there is nothing to cut, and undefined where its
 * layout cannot be that of an image. Takes time by the length of the file; never throws.
 */
export function withoutMetadata(image: Buffer): PlainImage | undefined {
  switch (imageFormat(image)) {
    case "jpeg":
      return jpegWithoutMetadata(image);
    case "png":
      return pngWithoutMetadata(image);
    case "webp":
      return webpWithoutMetadata(image);
    case "avif": {
      // Its properties say how it is turned, and stay.
      const parts = avifImage(image);
      return parts && { image: writeAvif(parts, image), orientation: upright };
    }
    case undefined:
      return undefined;
  }
}
