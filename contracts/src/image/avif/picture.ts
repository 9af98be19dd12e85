import { type Box, boxesIn, contentOf, FullBox } from "./boxes.ts";

/**
 * Returns the picture of an AVIF file (HEIF: ISO/IEC 23008-12), or undefined if it is damaged or has several
 * frames or layers: a picture or a grid of equal tiles, and the same for alpha. Everything else (gain maps,
 * thumbnails, other pictures, metadata) is left out, and never reaches a library: `writeAvif` makes a new
 * file of the picture. Never throws.
 */
export function avifPicture(file: Buffer): AvifPicture | undefined {
  try {
    return readPicture(file);
  } catch (error) {
    // Numbers and boxes are read without a look for their end.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Sizes, depth and chroma are those of the container. libheif refuses AV1 data of more pixels before it
 * allocates any; data of more depth or chroma take up to 1.5 times the memory.
 */
function headerOf({ tiles, ...colours }: AvifPart, hasAlpha: boolean): AvifHeader {
  const [tile = colours] = tiles;
  const coding = propertyOf(tile, "av1C").readUInt8(2);
  const chroma = 2 / ((coding & 8 ? 2 : 1) * (coding & 4 ? 2 : 1));
  return {
    format: "avif",
    ...sizeOf(colours),
    bytesPerSample: coding & 0x40 ? 2 : 1,
    samplesPerPixel: coding & 0x10 ? 1 : 1 + chroma,
    hasAlpha,
    tiles: { count: tiles.length || 1, ...sizeOf(tile) },
  };
}

function readPicture(file: Buffer): AvifPicture | undefined {
  const meta = boxesIn(contentOf(boxesIn(file), "meta").subarray(4));
  const primary = new FullBox(contentOf(meta, "pitm"));
  const primaryId = primary.read(primary.version === 0 ? 2 : 4);
  const types = readTypes(new FullBox(contentOf(meta, "iinf")));
  const inner = meta.find(({ type }) => type === "idat")?.content;
  const data = readData(new FullBox(contentOf(meta, "iloc")), [file, inner]);
  const properties = readProperties(boxesIn(contentOf(meta, "iprp")));
  const references = readReferences(meta.find(({ type }) => type === "iref")?.content);

  const itemOf = (id: number): AvifItem => {
    const [type, bytes] = [types.get(id), data.get(id)];
    if (type === undefined || bytes === undefined) throw new RangeError("no such item");
    return { type, data: bytes, properties: properties.get(id) ?? [] };
  };
  const partOf = (id: number): AvifPart | undefined => {
    const item = itemOf(id);
    if (item.type === "av01") return isOneFrame(item) ? { ...item, tiles: [] } : undefined;
    const ids = references.find(({ type, from }) => type === "dimg" && from === id)?.to ?? [];
    if (item.type !== "grid" || ids.length > tilesMax) return undefined;
    const tiles = ids.map(itemOf);
    return isCovered(item, tiles) && tiles.every(isOneFrame) ? { ...item, tiles } : undefined;
  };

  const colours = partOf(primaryId);
  const alphaId = references.find(
    ({ type, from, to }) => type === "auxl" && to.includes(primaryId) && properties.get(from)?.some(isAlpha),
  )?.from;
  if (colours === undefined) return undefined;
  if (alphaId === undefined) return { header: headerOf(colours, false), colours };
  const alpha = partOf(alphaId);
  return alpha !== undefined && isAlike(alpha, colours)
    ? { header: headerOf(colours, true), colours, alpha }
    : undefined;
}

function readTypes(infos: FullBox): Map<number, string> {
  infos.skip(infos.version === 0 ? 2 : 4);
  const entries = boxesIn(infos.rest()).map(({ content }) => {
    const info = new FullBox(content);
    const id = info.read(info.version === 3 ? 4 : 2);
    info.skip(2);
    return [id, info.rest().toString("latin1", 0, 4)] as const;
  });
  return new Map(entries);
}

/** Data of the items that have them in one piece: pieces may overlap, and a library joins them all. */
function readData(places: FullBox, containers: (Buffer | undefined)[]): Map<number, Buffer> {
  const sizes = places.read(2);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexBytes = places.version === 0 ? 0 : sizes & 15;
  const idBytes = places.version < 2 ? 2 : 4;
  const data = new Map<number, Buffer>();
  for (let left = places.read(idBytes); left > 0; left--) {
    const id = places.read(idBytes);
    const container = containers[places.version === 0 ? 0 : places.read(2) & 15];
    places.skip(2);
    const base = places.read(baseBytes);
    const pieces = places.read(2);
    if (pieces !== 1) {
      places.skip(pieces * (indexBytes + offsetBytes + lengthBytes));
      continue;
    }
    places.skip(indexBytes);
    const start = base + places.read(offsetBytes);
    const length = places.read(lengthBytes);
    if (length > 0 && container !== undefined && start + length <= container.length)
      data.set(id, container.subarray(start, start + length));
  }
  return data;
}

function readProperties(boxes: Box[]): Map<number, Box[]> {
  const all = boxesIn(contentOf(boxes, "ipco"));
  const links = new FullBox(contentOf(boxes, "ipma"));
  const properties = new Map<number, Box[]>();
  for (let left = links.read(4); left > 0; left--) {
    const id = links.read(links.version === 0 ? 2 : 4);
    // The highest bit says that a reader must know the property. They count from 1.
    const read = () => all[(links.isWide ? links.read(2) & 0x7fff : links.read(1) & 0x7f) - 1];
    const ofItem = Array.from({ length: links.read(1) }, read);
    properties.set(id, neededProperties(ofItem));
  }
  return properties;
}

function readReferences(content: Buffer = Buffer.alloc(4)): AvifReference[] {
  const idBytes = content.readUInt8(0) === 0 ? 2 : 4;
  return boxesIn(content.subarray(4)).map(({ type, content: ids }) => {
    const idAt = (index: number) => ids.readUIntBE(index === 0 ? 0 : 2 + index * idBytes, idBytes);
    return {
      type,
      from: idAt(0),
      to: Array.from({ length: ids.readUInt16BE(idBytes) }, (_, i) => idAt(1 + i)),
    };
  });
}

/** What says how to decode and to show a picture. A library would turn it as often as a file says. */
function neededProperties(boxes: (Box | undefined)[]): Box[] {
  const needed = boxes.filter((box) => box !== undefined && neededTypes.has(box.type)) as Box[];
  const plain = needed.filter(({ whole }) => whole.length <= propertyBytesMax);
  return [...new Map(plain.map((box) => [box.type, box])).values()];
}

const neededTypes: ReadonlySet<string> = new Set([
  "ispe",
  "av1C",
  "pixi",
  "colr",
  "irot",
  "imir",
  "clap",
  "auxC",
]);

/** An auxiliary picture may also be a depth, or a gain map. */
const isAlpha = ({ type, content }: Box): boolean =>
  type === "auxC" && /:alpha|:auxid:1/.test(content.toString("latin1"));

/** Whether tiles that are all alike cover a grid with none to spare: a library would decode those, too. */
function isCovered(grid: AvifItem, tiles: AvifItem[]): boolean {
  const [first] = tiles;
  if (first === undefined || !tiles.every((tile) => tile.type === "av01" && isAlike(tile, first)))
    return false;
  const [size, tile] = [sizeOf(grid), sizeOf(first)];
  return tiles.length === Math.ceil(size.width / tile.width) * Math.ceil(size.height / tile.height);
}

/**
 * Whether AV1 data hold one frame: a decoder would decode every further one, each as large as the first and a
 * few bytes long. The container adds units to them. (AV1 specification 5.3)
 *
 *     [ head: type and size of a unit, content ] …
 */
function isOneFrame(item: AvifItem): boolean {
  let [frames, units] = [0, 0];
  for (const part of [propertyOf(item, "av1C").subarray(4), item.data]) {
    for (let at = 0; at < part.length; units++) {
      const head = part[at]!;
      const type = (head >> 3) & 15;
      at += head & 4 ? 2 : 1;
      let size = 0;
      // Seven bits a byte, the lowest first. Four bytes are 256 MiB.
      for (let shift = 0, byte = 0x80; byte >= 0x80 && shift < 28; shift += 7) {
        byte = part.readUInt8(at++);
        size += (byte & 0x7f) << shift;
      }
      at += size;
      if (type === frameHeaderUnit || type === frameUnit) frames++;
      if (!(head & 2) || at > part.length || units > unitsMax) return false;
    }
  }
  return frames === 1;
}

const isAlike = (item: AvifItem | AvifPart, other: AvifItem | AvifPart): boolean =>
  item.type === other.type &&
  sizeOf(item).width === sizeOf(other).width &&
  sizeOf(item).height === sizeOf(other).height;

function sizeOf(item: AvifItem): { width: number; height: number } {
  const size = propertyOf(item, "ispe");
  return { width: size.readUInt32BE(4), height: size.readUInt32BE(8) };
}

const propertyOf = ({ properties }: AvifItem, type: string): Buffer => contentOf(properties, type);

const frameHeaderUnit = 3;
const frameUnit = 6;
/** A frame may have a unit for each tile; encoders write one for all. */
const unitsMax = 1_000;
/** libheif opens no file of more than 256 items. */
const tilesMax = 255;
/** Profiles of colours are longer, and ignored. */
const propertyBytesMax = 128;

export type AvifPicture = { header: AvifHeader; colours: AvifPart; alpha?: AvifPart };
/** `tiles`: of a grid, from left to right and top to bottom. */
type AvifPart = AvifItem & { tiles: AvifItem[] };
/** `type`: `av01` or `grid`. `data` lie in the file. */
export type AvifItem = { type: string; data: Buffer; properties: Box[] };

/** `dimg`: a grid to its tiles; `auxl`: alpha to its picture. */
type AvifReference = { type: string; from: number; to: number[] };

/** Width and height are those before the rotation that the container asks for. */
export type AvifHeader = {
  format: "avif";
  width: number;
  height: number;
  bytesPerSample: 1 | 2;
  /** 1 grey, 1.5 with chroma of half size, 3 with chroma of full size. */
  samplesPerPixel: number;
  hasAlpha: boolean;
  /** Pictures that are decoded one by one. A picture that is no grid is one tile. */
  tiles: { count: number; width: number; height: number };
};
