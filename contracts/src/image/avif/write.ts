import type { StoredImage } from "../header.ts";
import { type AvifImage, type AvifItem, type AvifReference, avifImage } from "./image.ts";

/** Describes an AVIF as a file of its image alone: a new head stands before all bytes of the file. */
export function describeAvif(file: Buffer): StoredImage | undefined {
  const image = avifImage(file);
  if (image === undefined) return undefined;
  const head = { start: 0, end: 0, bytes: avifHead(image, file) };
  return { header: image.header, orientation: 1, edits: [head] };
}

/**
 * Returns the head of an AVIF file of this image and nothing else, whose data lie in `file`: all of its bytes
 * follow the head, which names only those of the image. So libheif reads what was understood.
 */
export function avifHead({ parts }: AvifImage, file: Buffer): Buffer {
  const items: AvifItem[] = [];
  const references: AvifReference[] = [];
  for (const part of parts) {
    const from = items.push(part);
    const to = part.tiles.map((tile) => items.push(tile));
    if (to.length > 0) references.push({ type: "dimg", from, to });
    if (from > 1) references.push({ type: "auxl", from, to: [1] });
  }
  return headOf(items, references, file);
}

/**
 * Returns the head of an AVIF file with these items, whose ids count from 1, the primary one. Their data lie
 * in `file`, all of whose bytes follow the head.
 */
export function headOf(items: AvifItem[], references: AvifReference[], file: Buffer): Buffer {
  // Tiles share their properties: libheif accepts a hundred.
  const properties = [...new Set(items.flatMap((item) => item.properties))];
  const links = items.map((item, index) => {
    const indices = item.properties.map((property) => u16(0x8001 + properties.indexOf(property)));
    return Buffer.concat([u16(index + 1), Buffer.of(indices.length), ...indices]);
  });
  const infos = items.map(({ type }, index) =>
    box("infe", [u32(0x02000000), u16(index + 1), u16(0), Buffer.from(`${type}\0`)]),
  );
  const named = references.map(({ type, from, to }) => box(type, [from, to.length, ...to].map(u16)));
  const head = (dataAt: number): Buffer => {
    const places = items.map(({ data }, index) => {
      const at = dataAt + data.byteOffset - file.byteOffset;
      return Buffer.concat([u16(index + 1), u32(1), u32(at), u32(data.length)]);
    });
    const boxes = [
      box("hdlr", [u32(0), u32(0), Buffer.from("pict".padEnd(17, "\0"))]),
      box("pitm", [u32(0), u16(1)]),
      box("iloc", [u32(0), u16(0x4400), u16(items.length), ...places]),
      box("iinf", [u32(0), u16(items.length), ...infos]),
      box("iprp", [
        box(
          "ipco",
          properties.map(({ whole }) => whole),
        ),
        box("ipma", [u32(1), u32(items.length), ...links]),
      ]),
      ...(named.length === 0 ? [] : [box("iref", [u32(0), ...named])]),
    ];
    const type = box("ftyp", [Buffer.from("avif\0\0\0\0avifmif1miaf")]);
    return Buffer.concat([type, box("meta", [u32(0), ...boxes]), u32(8 + file.length), Buffer.from("mdat")]);
  };
  // Offsets have a fixed size, so the head is measured with others first.
  return head(head(0).length);
}

function box(type: string, content: Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  return Buffer.concat([u32(8 + bytes.length), Buffer.from(type, "latin1"), bytes]);
}

const u16 = (value: number): Buffer => Buffer.of(value >> 8, value & 255);

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
