import { heifItems, metadataTypes } from "@faceline/contracts/image/avif/items";
import { upright } from "./exif-orientation.ts";
import type { PlainImage } from "./kept-bytes.ts";

/**
 * Makes the items of metadata unknown ones of single bytes, in a copy: libheif reads all items when it opens
 * a file, and joins and copies those that it knows. Their places stay, because offsets point over them. The
 * orientation of an AVIF is in its properties. without-metadata.test.ts covers it.
 */
export function avifWithoutMetadata(avif: Buffer): PlainImage | undefined {
  const items = heifItems(avif)?.items;
  if (items === undefined) return undefined;
  const metadata = [...items.values()].filter(({ type }) => metadataTypes.has(type));
  if (metadata.length === 0) return { image: avif, orientation: upright };
  const copy = Buffer.from(avif);
  for (const { typeAt, lengthEnds } of metadata) {
    copy.write(unknownType, typeAt, "latin1");
    // The file has at most twice as many bytes of items as bytes, so the higher half of a length is 0.
    for (const end of lengthEnds) copy.writeUInt32BE(1, end - 4);
  }
  return { image: copy, orientation: upright };
}

const unknownType = "none";
