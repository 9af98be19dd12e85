import type { Edit } from "./edits.ts";
import type { AvifHeader, StoredImage } from "./header.ts";

/**
 * Describes an AVIF of one image (HEIF: ISO/IEC 23008-12). Metadata and profiles get a type that no library
 * reads; libheif ignores gain maps and thumbnails. Undefined if it is damaged, or if libheif could take more
 * time or memory than its size suggests: it decodes every frame in the data of an image and every tile that a
 * grid or an overlay names, on a canvas of any size, and turns an image as often as a file says. The purpose
 * of an item is not read: the same rules apply to all.
 */
export function describeAvif(file: Buffer): StoredImage | undefined {
  try {
    const meta = boxesIn(contentOf(boxesIn(file), "meta").subarray(4));
    const links = boxesIn(contentOf(meta, "iprp"));
    const properties = boxesIn(contentOf(links, "ipco"));
    const idat = meta.filter(({ type }) => type === "idat").map(({ content }) => content);
    const data = dataOfItems(contentOf(meta, "iloc"), [file, ...idat]);
    const items = itemsIn(contentOf(meta, "iinf"));
    const isBounded =
      items.filter(({ type }) => !metadata.has(type)).length <= itemsMax &&
      items.every(
        ({ id, type }) =>
          metadata.has(type) || type === "tmap" || (type === "av01" && framesIn(data.get(id)) === 1),
      ) &&
      contentsOf(properties, "av1C").every((content) => framesIn(content.subarray(4)) === 0) &&
      isHardlyTurned(contentOf(links, "ipma"), properties);
    if (!isBounded) return undefined;
    const profiles = properties.filter(({ type, content }) => type === "colr" && !isNumbered(content));
    const beside = [...items.filter(({ type }) => metadata.has(type)), ...profiles];
    const edits = beside.map(({ typeAt }): Edit => {
      const start = typeAt.byteOffset - file.byteOffset;
      return { start, end: start + typeAt.length, bytes: Buffer.from("skip") };
    });
    return {
      header: headerOf(properties),
      orientation: 1,
      edits: edits.toSorted((a, b) => a.start - b.start),
    };
  } catch (error) {
    // Numbers and boxes are read without checking for the end.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * libheif refuses AV1 data of more pixels than `ispe` says before it allocates any; data of more depth or
 * chroma than `av1C` says take up to 1.5 times the memory.
 */
function headerOf(properties: Box[]): AvifHeader {
  const sizes = contentsOf(properties, "ispe").map((size) => [size.readUInt32BE(4), size.readUInt32BE(8)]);
  const [width = 0, height = 0] = sizes.toSorted((a, b) => b[0]! * b[1]! - a[0]! * a[1]!)[0] ?? [];
  const codings = contentsOf(properties, "av1C").map((content) => content.readUInt8(2));
  const chroma = codings.map((bits) => (bits & 0x10 ? 0 : 2 / ((bits & 8 ? 2 : 1) * (bits & 4 ? 2 : 1))));
  return {
    format: "avif",
    width,
    height,
    bytesPerSample: codings.some((bits) => bits & 0x40) ? 2 : 1,
    samplesPerPixel: 1 + Math.max(0, ...chroma),
    hasAlpha: contentsOf(properties, "auxC").some((kind) => /:alpha|:auxid:1/.test(kind.toString("latin1"))),
  };
}

/**
 * The frames in AV1 data: a decoder decodes all, and each may take a few bytes. Throws a RangeError for data
 * that are no units. (AV1 specification 5.3)
 *
 *     [ head: type and size of a unit, content ] …
 */
function framesIn(data: Buffer = Buffer.alloc(0)): number {
  let frames = 0;
  for (let at = 0, units = 0; at < data.length; units++) {
    const head = data[at]!;
    const type = (head >> 3) & 15;
    at += head & 4 ? 2 : 1;
    let [size, byte] = [0, 0x80];
    // Seven bits a byte, the lowest first. Four bytes are 256 MiB.
    for (let shift = 0; byte >= 0x80 && shift < 28; shift += 7) {
      byte = data.readUInt8(at++);
      size += (byte & 0x7f) << shift;
    }
    at += size;
    if (type === frameHeaderUnit || type === frameUnit) frames++;
    if (!(head & 2) || byte >= 0x80 || at > data.length || units > unitsMax) throw new RangeError("no unit");
  }
  return frames;
}

/** Returns whether each item has a rotation, a mirror and a crop at most. */
function isHardlyTurned(links: Buffer, properties: Box[]): boolean {
  const read = numbersOf(links, 4);
  for (let items = read(4); items > 0; items--) {
    read(links[0] === 0 ? 2 : 4);
    // The highest bit says that a reader must know the property. They count from 1.
    const next = () => properties[(links[3]! & 1 ? read(2) & 0x7fff : read(1) & 0x7f) - 1];
    const linked = Array.from({ length: read(1) }, next);
    if (linked.filter((box) => /^(irot|imir|clap)$/.test(box?.type ?? "")).length > 3) return false;
  }
  return true;
}

function itemsIn(infos: Buffer): { id: number; type: string; typeAt: Buffer }[] {
  return boxesIn(infos.subarray(infos[0] === 0 ? 6 : 8)).map(({ content }) => {
    const idBytes = content[0] === 3 ? 4 : 2;
    const typeAt = content.subarray(6 + idBytes, 10 + idBytes);
    return { id: numbersOf(content, 4)(idBytes), type: typeAt.toString("latin1"), typeAt };
  });
}

/** Returns whether a colour space is named by numbers (ITU-T H.273), and not by a profile. */
const isNumbered = (colour: Buffer): boolean => colour.toString("latin1", 0, 4) === "nclx";

/** Data of the items. Throws a RangeError for one in pieces: they may overlap, and libheif joins them. */
function dataOfItems(places: Buffer, containers: Buffer[]): Map<number, Buffer> {
  const version = places.readUInt8(0);
  const read = numbersOf(places, 4);
  const sizes = read(2);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const [indexBytes, idBytes] = [version === 0 ? 0 : sizes & 15, version < 2 ? 2 : 4];
  const data = new Map<number, Buffer>();
  for (let items = read(idBytes); items > 0; items--) {
    const id = read(idBytes);
    const container = containers[version === 0 ? 0 : read(2) & 15] ?? Buffer.alloc(0);
    read(2);
    const base = read(baseBytes);
    const pieces = read(2);
    // Widths of 0 would make many pieces of no bytes.
    if (pieces !== 1) throw new RangeError("not one piece");
    read(indexBytes);
    const start = base + read(offsetBytes);
    const end = start + read(lengthBytes);
    const isUsable = end <= container.length && !data.has(id);
    data.set(id, isUsable ? container.subarray(start, end) : Buffer.alloc(0));
  }
  return data;
}

/**
 * Returns adjacent boxes (ISO/IEC 14496-12, 4.2). Throws a RangeError if one reaches over the end, or if they
 * are too many.
 *
 *     [ size (4 bytes, itself included), type (4), content ] …
 */
export function boxesIn(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at < bytes.length; ) {
    // 0: up to the end. 1, for boxes above 4 GiB, is refused.
    const size = bytes.readUInt32BE(at) || bytes.length - at;
    const whole = bytes.subarray(at, at + size);
    if (size < 8 || whole.length < size || boxes.length === boxesMax) throw new RangeError("not a box");
    const typeAt = whole.subarray(4, 8);
    boxes.push({ type: typeAt.toString("latin1"), typeAt, content: whole.subarray(8), whole });
    at += size;
  }
  return boxes;
}

const contentsOf = (boxes: Box[], type: string): Buffer[] =>
  boxes.filter((each) => each.type === type).map(({ content }) => content);

/** Throws a RangeError if there is none, or a second one: a library may take either. */
export function contentOf(boxes: Box[], type: string): Buffer {
  const [content, another] = contentsOf(boxes, type);
  if (content === undefined || another !== undefined) throw new RangeError("no such box, or several");
  return content;
}

/** Reads numbers of 0 to 4 or 8 bytes, big-endian, one after the other. Throws a RangeError at the end. */
function numbersOf(content: Buffer, at: number): (bytes: number) => number {
  const read = (bytes: number): number => {
    if (bytes === 8) return read(4) * 2 ** 32 + read(4);
    at += bytes;
    return bytes === 0 ? 0 : content.readUIntBE(at - bytes, bytes);
  };
  return read;
}

/** `typeAt`: where the type stands in the file. */
export type Box = { type: string; typeAt: Buffer; content: Buffer; whole: Buffer };

const metadata: ReadonlySet<string> = new Set(["Exif", "mime", "uri "]);
const frameHeaderUnit = 3;
const frameUnit = 6;
/** A frame may have a unit for each tile of AV1; encoders write one for all. */
const unitsMax = 1_000;
/** An image, its alpha, gain map, thumbnail and depth. The data of each are read. */
const itemsMax = 16;
/** A property for each kind and image, or an entry for each item. */
const boxesMax = 4_096;
