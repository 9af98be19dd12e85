/** Writes AVIF files that no encoder writes, for tests. The parts come from a file that an encoder wrote. */
import { heifItems } from "../src/image/avif/items.ts";

/** Returns a file with these items, the first of which is the primary one. */
export function avifFile(
  items: AvifItem[],
  {
    references = [],
    brands = ["avif", "mif1", "miaf"],
    cutAfter = Number.POSITIVE_INFINITY,
  }: AvifOptions = {},
): Buffer {
  // Items that are alike share their properties: a library accepts a hundred.
  const names = [...new Set(items.flatMap((item) => item.properties.map((each) => each.toString("latin1"))))];
  const properties = names.map((name) => Buffer.from(name, "latin1"));
  const associations = items.map((item) => {
    const indices = item.properties.map((each) => 0x8000 | (names.indexOf(each.toString("latin1")) + 1));
    return Buffer.concat([u16(item.id), u8(indices.length), ...indices.map(u16)]);
  });
  const infos = items.map(({ id, type, isHidden }) =>
    fullBox("infe", 2, isHidden ? 1 : 0, [u16(id), u16(0), Buffer.from(type), u8(0)]),
  );
  const links = references.map(({ type, from, to }) =>
    box(type, [u16(from), u16(to.length), ...to.map(u16)]),
  );
  const head = box("ftyp", [Buffer.from(brands[0]!), u32(0), Buffer.from(brands.join(""))]);
  // Locations have a fixed size, so the file is measured with empty ones first.
  const meta = (dataAt: number): Buffer => {
    let at = dataAt;
    const locations = items.map(({ id, data, pieces = 1 }) => {
      const extents = Array.from({ length: pieces }, () => [u32(at), u32(data.length)]);
      const entry = Buffer.concat([u16(id), u16(0), u16(pieces), ...extents.flat()]);
      at += data.length;
      return entry;
    });
    return fullBox("meta", 0, 0, [
      fullBox("hdlr", 0, 0, [u32(0), Buffer.from("pict"), Buffer.alloc(13)]),
      fullBox("pitm", 0, 0, [u16(items[0]!.id)]),
      fullBox("iloc", 0, 0, [u16(0x4400), u16(items.length), ...locations]),
      fullBox("iinf", 0, 0, [u16(items.length), ...infos]),
      box("iprp", [box("ipco", properties), fullBox("ipma", 0, 1, [u32(items.length), ...associations])]),
      ...(links.length === 0 ? [] : [fullBox("iref", 0, 0, links)]),
    ]);
  };
  const dataAt = head.length + meta(0).length + 8;
  const file = Buffer.concat([
    head,
    meta(dataAt),
    box(
      "mdat",
      items.map(({ data }) => data),
    ),
  ]);
  return file.subarray(0, Math.min(cutAfter, file.length));
}

/** Returns the primary picture of a file as an item, with the properties that its encoder wrote. */
export function avifPicture(file: Buffer, id: number): AvifItem {
  const container = heifItems(file)!;
  const { data, properties } = container.items.get(container.primaryId)!;
  const copies = properties.map(({ start, end }) => Buffer.from(file.subarray(start - 8, end)));
  return { id, type: "av01", data: file.subarray(data!.start, data!.end), properties: copies };
}

/** A picture of tiles: columns x rows of the same one. */
export function avifGrid(
  tile: AvifItem,
  { columns, rows, width, height }: { columns: number; rows: number; width: number; height: number },
): Buffer {
  const tiles = Array.from({ length: columns * rows }, (_, i) => ({ ...tile, id: 2 + i, isHidden: true }));
  const data = Buffer.concat([u8(0), u8(1), u8(rows - 1), u8(columns - 1), u32(width), u32(height)]);
  const grid = { id: 1, type: "grid", data, properties: [sizeProperty(width, height)] };
  return avifFile([grid, ...tiles], {
    references: [{ type: "dimg", from: 1, to: tiles.map(({ id }) => id) }],
  });
}

/** How the picture is to be shown: a quarter turn to the left for each step, then mirrored. */
export const rotationProperty = (quarters: number): Buffer => box("irot", [u8(quarters)]);
/** 0: top and bottom change places. 1: left and right do. */
export const mirrorProperty = (axis: number): Buffer => box("imir", [u8(axis)]);
export const sizeProperty = (width: number, height: number): Buffer =>
  fullBox("ispe", 0, 0, [u32(width), u32(height)]);

type AvifItem = {
  id: number;
  type: string;
  data: Buffer;
  properties: Buffer[];
  isHidden?: boolean;
  /** How often a reader is to join the data to itself. */
  pieces?: number;
};
type AvifOptions = {
  references?: { type: string; from: number; to: number[] }[];
  brands?: string[];
  /** Bytes of the file that are kept. */
  cutAfter?: number;
};

function box(type: string, content: Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  return Buffer.concat([u32(8 + bytes.length), Buffer.from(type, "latin1"), bytes]);
}

const fullBox = (type: string, version: number, flags: number, content: Buffer[]): Buffer =>
  box(type, [u32(version * 2 ** 24 + flags), ...content]);

const u8 = (value: number): Buffer => Buffer.of(value);
function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
