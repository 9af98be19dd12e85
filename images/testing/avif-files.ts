/** Makes AVIF files that no encoder writes, for tests, of images that an encoder wrote. */
import { type Box, boxesIn, contentOf } from "../src/avif.ts";

/** Returns a file with these items, the first of which is the primary one. Ids count from 1. */
export function avifOf(items: AvifItem[], references: AvifReference[] = []): Buffer {
  const properties = [...new Set(items.flatMap((item) => item.properties))];
  const links = items.map((item, index) => {
    const indices = item.properties.map((property) => u16(0x8001 + properties.indexOf(property)));
    return Buffer.concat([u16(index + 1), Buffer.of(indices.length), ...indices]);
  });
  const infos = items.map(({ type }, index) =>
    box("infe", u32(0x02000000), u16(index + 1), u16(0), Buffer.from(`${type}\0`)),
  );
  const named = references.map(({ type, from, to }) => box(type, ...[from, to.length, ...to].map(u16)));
  const head = (dataAt: number): Buffer => {
    let at = dataAt;
    const places = items.map(({ data }, index) => {
      at += data.length;
      return Buffer.concat([u16(index + 1), u32(1), u32(at - data.length), u32(data.length)]);
    });
    const meta = box(
      "meta",
      u32(0),
      box("hdlr", u32(0), u32(0), Buffer.from("pict".padEnd(17, "\0"))),
      box("pitm", u32(0), u16(1)),
      box("iloc", u32(0), u16(0x4400), u16(items.length), ...places),
      box("iinf", u32(0), u16(items.length), ...infos),
      box(
        "iprp",
        box("ipco", ...properties.map(({ whole }) => whole)),
        box("ipma", u32(1), u32(items.length), ...links),
      ),
      box("iref", u32(0), ...named),
    );
    return Buffer.concat([box("ftyp", Buffer.from("avif\0\0\0\0avifmif1miaf")), meta]);
  };
  // Offsets have a fixed size, so the head is measured with others first.
  const data = box("mdat", ...items.map((item) => item.data));
  return Buffer.concat([head(head(0).length + 8), data]);
}

/** Returns the image of a file that an encoder wrote, with some properties replaced or added. */
export function avifItem(file: Buffer, ...others: Box[]): AvifItem {
  const boxes = boxesIn(file);
  const properties = boxesIn(
    contentOf(boxesIn(contentOf(boxesIn(contentOf(boxes, "meta").subarray(4)), "iprp")), "ipco"),
  );
  const kept = properties.filter((each) => !others.some((other) => other.type === each.type));
  return { type: "av01", data: contentOf(boxes, "mdat"), properties: [...kept, ...others] };
}

/** Rotation of the image: a quarter turn to the left for each step, then mirrored. */
export const rotationProperty = (quarters: number): Box => property("irot", Buffer.of(quarters));
/** 0: top and bottom change places. 1: left and right do. */
export const mirrorProperty = (axis: number): Box => property("imir", Buffer.of(axis));
export const sizeProperty = (width: number, height: number): Box =>
  property("ispe", u32(0), u32(width), u32(height));
/** Kind of an auxiliary image: `alpha`, `depth`. */
export const auxiliaryProperty = (kind: string): Box =>
  property("auxC", u32(0), Buffer.from(`urn:mpeg:mpegB:cicp:systems:auxiliary:${kind}\0`));

const property = (type: string, ...content: Buffer[]): Box => boxesIn(box(type, ...content))[0]!;

function box(type: string, ...content: Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  return Buffer.concat([u32(8 + bytes.length), Buffer.from(type, "latin1"), bytes]);
}

const u16 = (value: number): Buffer => Buffer.of(value >> 8, value & 255);

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

type AvifItem = { type: string; data: Buffer; properties: Box[] };
/** `dimg`: an item to what it is made of; `auxl`: alpha to its image. */
type AvifReference = { type: string; from: number; to: number[] };
