import { type Box, boxesIn, boxesMax, Cursor } from "./boxes.ts";

/**
 * Returns the items of a HEIF file (ISO/IEC 23008-12 and 14496-12, 8.11), or undefined if a box that a
 * picture needs is absent, contradicts itself, or comes twice: a library might take the other one.
 * header.test.ts covers it.
 */
export function heifItems(file: Buffer): HeifItems | undefined {
  const meta = only(boxesIn(file, 0, file.length), "meta");
  // Four bytes of version and flags come before the boxes of `meta`.
  const boxes = meta && boxesIn(file, meta.start + 4, meta.end);
  const [primary, infos, locations, properties] = ["pitm", "iinf", "iloc", "iprp"].map((type) =>
    only(boxes, type),
  );
  if (!boxes || !primary || !infos || !locations || !properties) return undefined;
  const cursor = new Cursor(file, primary);
  const primaryId = cursor.number(versionOf(cursor) === 0 ? 2 : 4);
  const items = readInfos(file, infos);
  const references = readReferences(file, boxes);
  if (items === undefined || references === undefined) return undefined;
  const data = only(boxes, "idat");
  const isComplete =
    readLocations(file, { locations, data }, items) && readProperties(file, properties, items);
  return isComplete ? { primaryId, items, references } : undefined;
}

function only(boxes: Box[] | undefined, type: string): Box | undefined {
  const ofType = boxes?.filter((box) => box.type === type) ?? [];
  return ofType.length === 1 ? ofType[0] : undefined;
}

/** Reads version and flags. */
const versionOf = (cursor: Cursor): number => cursor.number(4) >>> 24;

function readInfos(file: Buffer, infos: Box): Map<number, HeifItem> | undefined {
  const head = new Cursor(file, infos);
  head.number(versionOf(head) === 0 ? 2 : 4);
  const entries = head.isValid ? boxesIn(file, head.at, infos.end) : undefined;
  if (entries === undefined) return undefined;
  const items = new Map<number, HeifItem>();
  for (const entry of entries) {
    const cursor = new Cursor(file, entry);
    const versionAndFlags = cursor.number(4);
    const version = versionAndFlags >>> 24;
    const id = cursor.number(version === 3 ? 4 : 2);
    const protection = cursor.number(2);
    const typeAt = cursor.at;
    const type = cursor.text(4);
    if (version < 2 || version > 3 || protection !== 0 || !cursor.isValid || items.has(id)) return undefined;
    items.set(id, {
      type,
      typeAt,
      isHidden: (versionAndFlags & 1) === 1,
      data: undefined,
      lengthEnds: [],
      properties: [],
    });
  }
  return items;
}

/** Items with their data in one piece. Other items stay without data. Returns false for too many bytes. */
function readLocations(
  file: Buffer,
  { locations, data }: { locations: Box; data: Box | undefined },
  items: HeifItems["items"],
): boolean {
  const cursor = new Cursor(file, locations);
  const version = versionOf(cursor);
  const sizes = cursor.number(2);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexBytes = version === 0 ? 0 : sizes & 15;
  const count = cursor.number(version < 2 ? 2 : 4);
  if (version > 2 || count > boxesMax || indexBytes !== 0) return false;
  if (![offsetBytes, lengthBytes, baseBytes].every((bytes) => bytes === 0 || bytes === 4 || bytes === 8))
    return false;
  let bytes = 0;
  for (let i = 0; i < count && cursor.isValid; i++) {
    const item = items.get(cursor.number(version < 2 ? 2 : 4));
    const method = version === 0 ? 0 : cursor.number(2) & 15;
    const source = cursor.number(2);
    const base = offsetOf(cursor, baseBytes);
    const extents = cursor.number(2);
    if (item === undefined || item.data !== undefined || extents > boxesMax) return false;
    for (let extent = 0; extent < extents; extent++) {
      const offset = base + offsetOf(cursor, offsetBytes);
      const length = offsetOf(cursor, lengthBytes);
      item.lengthEnds.push(cursor.at);
      // Pieces may overlap, and a library joins them all. A length of 0 reaches to the end of the file.
      bytes += length === 0 ? file.length : length;
      if (bytes > dataBytesMax * file.length) return false;
      if (extents !== 1 || source !== 0) continue;
      const container = method === 0 ? { start: 0, end: file.length } : method === 1 ? data : undefined;
      if (container === undefined || length === 0 || container.start + offset + length > container.end)
        continue;
      item.data = { start: container.start + offset, end: container.start + offset + length };
    }
  }
  return cursor.isValid;
}

/** Bytes of all items for each byte of the file. Encoders may let alike tiles share their data. */
const dataBytesMax = 2;

/** Reads an offset of 0, 4 or 8 bytes: the standard allows no others. */
function offsetOf(cursor: Cursor, bytes: number): number {
  if (bytes <= 4) return cursor.number(bytes);
  return cursor.number(bytes - 4) * 2 ** 32 + cursor.number(4);
}

function readProperties(file: Buffer, box: Box, items: HeifItems["items"]): boolean {
  const boxes = boxesIn(file, box.start, box.end);
  const container = only(boxes, "ipco");
  const properties = container && boxesIn(file, container.start, container.end);
  const associations = only(boxes, "ipma");
  if (properties === undefined || associations === undefined) return false;
  const cursor = new Cursor(file, associations);
  const versionAndFlags = cursor.number(4);
  const isWide = (versionAndFlags & 1) === 1;
  const count = cursor.number(4);
  if (count > boxesMax) return false;
  for (let i = 0; i < count && cursor.isValid; i++) {
    const item = items.get(cursor.number(versionAndFlags >>> 24 === 0 ? 2 : 4));
    for (let left = cursor.number(1); left > 0 && cursor.isValid; left--) {
      // The highest bit says that a reader must know the property.
      const index = cursor.number(isWide ? 2 : 1) & (isWide ? 0x7fff : 0x7f);
      const property = properties[index - 1];
      if (property !== undefined) item?.properties.push(property);
    }
  }
  return cursor.isValid;
}

function readReferences(file: Buffer, boxes: Box[]): HeifReference[] | undefined {
  const container = boxes.filter(({ type }) => type === "iref");
  if (container.length === 0) return [];
  if (container.length > 1) return undefined;
  const head = new Cursor(file, container[0]!);
  const idBytes = versionOf(head) === 0 ? 2 : 4;
  const entries = boxesIn(file, head.at, container[0]!.end);
  return entries?.map((entry) => {
    const cursor = new Cursor(file, entry);
    const from = cursor.number(idBytes);
    const count = Math.min(cursor.number(2), boxesMax);
    const to: number[] = [];
    for (let i = 0; i < count && cursor.isValid; i++) to.push(cursor.number(idBytes));
    return { type: entry.type, from, to };
  });
}

/** Items beside pictures. A library has code for many more kinds, which no file here may reach. */
export const metadataTypes: ReadonlySet<string> = new Set(["Exif", "mime"]);

export type HeifItems = { primaryId: number; items: Map<number, HeifItem>; references: HeifReference[] };

export type HeifItem = {
  /** Four characters: `av01`, `grid`, `Exif`. */
  type: string;
  /** Offset of the type in the file. */
  typeAt: number;
  isHidden: boolean;
  /** Offsets in the file; undefined where the data are in pieces or elsewhere. */
  data: { start: number; end: number } | undefined;
  /** Offsets behind the lengths of its pieces: of four bytes, or eight. */
  lengthEnds: number[];
  properties: Box[];
};

/** `dimg`: a grid to its tiles; `auxl`: alpha to its picture; `thmb`: a thumbnail to its picture. */
type HeifReference = { type: string; from: number; to: number[] };
