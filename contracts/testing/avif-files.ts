/** Makes AVIF files that no encoder writes, for tests, of images that an encoder wrote. */
import { type Box, boxesIn } from "../src/image/avif/boxes.ts";
import { type AvifItem, type AvifReference, avifImage } from "../src/image/avif/image.ts";
import { headOf } from "../src/image/avif/write.ts";

/** Returns a file with these items, the first of which is the primary one. Ids count from 1. */
export function avifOf(items: AvifItem[], references: AvifReference[] = []): Buffer {
  const file = Buffer.concat(items.map(({ data }) => data));
  let at = 0;
  const placed = items.map((item) => ({ ...item, data: file.subarray(at, (at += item.data.length)) }));
  return Buffer.concat([headOf(placed, references, file), file]);
}

/** Returns the primary image of a file as an item, with some properties replaced or added. */
export function avifItem(file: Buffer, ...others: Box[]): AvifItem {
  const { type, data, properties } = avifImage(file)!.parts[0]!;
  const kept = properties.filter((each) => !others.some((other) => other.type === each.type));
  return { type, data, properties: [...kept, ...others] };
}

/** An image of tiles: columns x rows of the same one. */
export function avifGrid(
  tile: AvifItem,
  { columns, rows, width, height }: { columns: number; rows: number; width: number; height: number },
): Buffer {
  const data = Buffer.of(0, 1, rows - 1, columns - 1, ...u32(width), ...u32(height));
  const grid = { type: "grid", data, properties: [sizeProperty(width, height)] };
  const tiles = Array.from({ length: columns * rows }, () => tile);
  return avifOf([grid, ...tiles], [{ type: "dimg", from: 1, to: tiles.map((_, index) => index + 2) }]);
}

/** How the image is to be shown: a quarter turn to the left for each step, then mirrored. */
export const rotationProperty = (quarters: number): Box => property("irot", quarters);
/** 0: top and bottom change places. 1: left and right do. */
export const mirrorProperty = (axis: number): Box => property("imir", axis);
export const sizeProperty = (width: number, height: number): Box =>
  property("ispe", 0, 0, 0, 0, ...u32(width), ...u32(height));
/** What an auxiliary image is: `alpha`, `depth`. */
export const auxiliaryProperty = (kind: string): Box =>
  property("auxC", 0, 0, 0, 0, ...Buffer.from(`urn:mpeg:mpegB:cicp:systems:auxiliary:${kind}\0`));

function property(type: string, ...content: number[]): Box {
  const bytes = Buffer.from([...u32(8 + content.length), ...Buffer.from(type), ...content]);
  return boxesIn(bytes)[0]!;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
