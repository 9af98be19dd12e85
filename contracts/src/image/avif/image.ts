import type { AvifHeader } from "../header.ts";
import { type Box, boxesIn, contentOf, numbersOf } from "./boxes.ts";

/**
 * Returns the image of an AVIF file (HEIF: ISO/IEC 23008-12), or undefined if it is damaged or has several
 * frames or layers: an image or a grid of equal tiles, and the same for alpha. Everything else (gain maps,
 * thumbnails, other images, metadata) is left out, and never reaches a library: `avifHead` makes a new file
 * of the image. Never throws.
 */
export function avifImage(file: Buffer): AvifImage | undefined {
  try {
    return readImage(file);
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
function headerOf(colours: AvifPart, hasAlpha: boolean): AvifHeader {
  const tiles = tilesOf(colours);
  const coding = propertyOf(tiles[0]!, "av1C").readUInt8(2);
  const chroma = 2 / ((coding & 8 ? 2 : 1) * (coding & 4 ? 2 : 1));
  return {
    format: "avif",
    ...sizeOf(colours),
    bytesPerSample: coding & 0x40 ? 2 : 1,
    samplesPerPixel: coding & 0x10 ? 1 : 1 + chroma,
    hasAlpha,
    tiles: { count: tiles.length, ...sizeOf(tiles[0]!) },
  };
}

function readImage(file: Buffer): AvifImage | undefined {
  const meta = boxesIn(contentOf(boxesIn(file), "meta").subarray(4));
  const optional = (type: string) => meta.find((box) => box.type === type)?.content;
  const types = readTypes(contentOf(meta, "iinf"));
  const data = readData(contentOf(meta, "iloc"), [file, optional("idat")]);
  const properties = readProperties(boxesIn(contentOf(meta, "iprp")));
  const references = readReferences(optional("iref") ?? Buffer.alloc(4));

  const itemOf = (id: number): AvifItem => {
    const [type, bytes] = [types.get(id), data.get(id)];
    if (type === undefined || bytes === undefined) throw new RangeError("no such item");
    return { type, data: bytes, properties: properties.get(id) ?? [] };
  };
  const partOf = (id: number): AvifPart => {
    const item = itemOf(id);
    const ids = references.find(({ type, from }) => type === "dimg" && from === id)?.to ?? [];
    const part = { ...item, tiles: item.type === "grid" ? ids.slice(0, tilesMax).map(itemOf) : [] };
    if ((item.type !== "av01" && !isCovered(part)) || !tilesOf(part).every(isOneFrame))
      throw new RangeError("several frames or tiles, or another item");
    return part;
  };

  const primary = contentOf(meta, "pitm");
  const primaryId = numbersOf(primary, 4)(primary[0] === 0 ? 2 : 4);
  const colours = partOf(primaryId);
  const alphaId = references.find(
    ({ type, from, to }) => type === "auxl" && to.includes(primaryId) && properties.get(from)?.some(isAlpha),
  )?.from;
  const alpha = alphaId === undefined ? undefined : partOf(alphaId);
  if (alpha !== undefined && !isAlike(alpha, colours)) return undefined;
  return { header: headerOf(colours, alpha !== undefined), parts: alpha ? [colours, alpha] : [colours] };
}

function readTypes(infos: Buffer): Map<number, string> {
  const entries = boxesIn(infos.subarray(infos[0] === 0 ? 6 : 8)).map(({ content }) => {
    const idBytes = content[0] === 3 ? 4 : 2;
    return [numbersOf(content, 4)(idBytes), content.toString("latin1", 6 + idBytes, 10 + idBytes)] as const;
  });
  return new Map(entries);
}

/** Data of the items that have them in one piece: pieces may overlap, and a library joins them all. */
function readData(places: Buffer, containers: (Buffer | undefined)[]): Map<number, Buffer> {
  const version = places.readUInt8(0);
  const read = numbersOf(places, 4);
  const sizes = read(2);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const [indexBytes, idBytes] = [version === 0 ? 0 : sizes & 15, version < 2 ? 2 : 4];
  if (lengthBytes === 0) throw new RangeError("items without an end");
  const data = new Map<number, Buffer>();
  for (let left = read(idBytes); left > 0; left--) {
    const id = read(idBytes);
    const container = containers[version === 0 ? 0 : read(2) & 15] ?? Buffer.alloc(0);
    read(2);
    const base = read(baseBytes);
    const pieces = read(2);
    for (let piece = 0; piece < pieces; piece++) {
      read(indexBytes);
      const start = base + read(offsetBytes);
      const end = start + read(lengthBytes);
      if (pieces === 1 && end > start && end <= container.length)
        data.set(id, container.subarray(start, end));
    }
  }
  return data;
}

function readProperties(boxes: Box[]): Map<number, Box[]> {
  const all = boxesIn(contentOf(boxes, "ipco"));
  const links = contentOf(boxes, "ipma");
  const read = numbersOf(links, 4);
  const properties = new Map<number, Box[]>();
  for (let left = read(4); left > 0; left--) {
    const id = read(links[0] === 0 ? 2 : 4);
    // The highest bit says that a reader must know the property. They count from 1.
    const next = () => all[(links[3]! & 1 ? read(2) & 0x7fff : read(1) & 0x7f) - 1];
    properties.set(id, neededProperties(Array.from({ length: read(1) }, next)));
  }
  return properties;
}

function readReferences(content: Buffer): AvifReference[] {
  const idBytes = content[0] === 0 ? 2 : 4;
  return boxesIn(content.subarray(4)).map(({ type, content: ids }) => {
    const read = numbersOf(ids, 0);
    return { type, from: read(idBytes), to: Array.from({ length: read(2) }, () => read(idBytes)) };
  });
}

/** What says how to decode and to show an image. A library would turn it as often as a file says. */
function neededProperties(boxes: (Box | undefined)[]): Box[] {
  const needed = boxes.filter((box) => box !== undefined && neededTypes.has(box.type)) as Box[];
  const plain = needed.filter(({ whole }) => whole.length <= propertyBytesMax);
  return [...new Map(plain.map((box) => [box.type, box])).values()];
}

const neededTypes = new Set(["ispe", "av1C", "pixi", "colr", "irot", "imir", "clap", "auxC"]);

/** An auxiliary image may also be a depth, or a gain map. */
const isAlpha = ({ type, content }: Box): boolean =>
  type === "auxC" && /:alpha|:auxid:1/.test(content.toString("latin1"));

/** Whether tiles that are all alike cover a grid with none to spare: a library would decode those, too. */
function isCovered({ tiles, ...grid }: AvifPart): boolean {
  const [first] = tiles;
  if (first?.type !== "av01" || !tiles.every((tile) => isAlike(tile, first))) return false;
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
      let [size, byte] = [0, 0x80];
      // Seven bits a byte, the lowest first. Four bytes are 256 MiB.
      for (let shift = 0; byte >= 0x80 && shift < 28; shift += 7) {
        byte = part.readUInt8(at++);
        size += (byte & 0x7f) << shift;
      }
      at += size;
      if (type === frameHeaderUnit || type === frameUnit) frames++;
      if (!(head & 2) || byte >= 0x80 || at > part.length || units > unitsMax) return false;
    }
  }
  return frames === 1;
}

const isAlike = (item: AvifItem, other: AvifItem): boolean =>
  item.type === other.type && propertyOf(item, "ispe").equals(propertyOf(other, "ispe"));

const tilesOf = (part: AvifPart): AvifItem[] => (part.type === "grid" ? part.tiles : [part]);

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

/** `parts`: the colours, and alpha where there is one. */
export type AvifImage = { header: AvifHeader; parts: AvifPart[] };
/** `tiles`: of a grid, from left to right and top to bottom. */
type AvifPart = AvifItem & { tiles: AvifItem[] };
/** `type`: `av01` or `grid`. `data` lie in the file. */
export type AvifItem = { type: string; data: Buffer; properties: Box[] };

/** `dimg`: a grid to its tiles; `auxl`: alpha to its image. */
export type AvifReference = { type: string; from: number; to: number[] };
