import { heifItems, metadataTypes } from "../avif/items.ts";
import { upright } from "./exif-orientation.ts";
import type { PlainImage } from "./kept-bytes.ts";

/**
 * Makes the items of metadata unknown ones, in a copy: libheif reads all of them, inflates and joins their
 * pieces when it opens a file, and ignores items that it does not know. Their places stay, because offsets
 * point over them. The orientation of an AVIF is in its properties. without-metadata.test.ts covers it.
 */
export function avifWithoutMetadata(avif: Buffer): PlainImage | undefined {
  const items = heifItems(avif)?.items;
  if (items === undefined) return undefined;
  const metadata = [...items.values()].filter(({ type }) => metadataTypes.has(type));
  if (metadata.length === 0) return { image: avif, orientation: upright };
  const copy = Buffer.from(avif);
  for (const { typeAt } of metadata) copy.write(unknownType, typeAt, "latin1");
  return { image: copy, orientation: upright };
}

const unknownType = "none";
