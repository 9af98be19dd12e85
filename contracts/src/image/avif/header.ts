import { type Av1Sequence, av1StillPicture } from "./av1.ts";
import { type Box, boxesIn, Cursor } from "./boxes.ts";
import { type HeifItem, type HeifItems, heifItems, metadataTypes } from "./items.ts";

/**
 * Returns what the header of an AVIF file says (AV1 Image File Format 1.1), or undefined if it is damaged or
 * is no single still picture. The decoder gets only files that are understood here: it decodes whole, so
 * nothing could stop it later. Sizes come from the AV1 data themselves, because the decoder allocates by them
 * before it compares them with the container's. Never throws.
 *
 * Accepted are a picture or a grid of tiles, with one more for alpha. Layers, sequences without a still
 * picture, several pictures and derived ones are not.
 */
export function avifHeader(file: Buffer): AvifHeader | undefined {
  if (boxBytes(file) > boxBytesMax) return undefined;
  const container = heifItems(file);
  const primary = container?.items.get(container.primaryId);
  if (container === undefined || primary === undefined) return undefined;
  if (!isOnlyPicture(container) || ![...container.items.values()].every(isAcceptedItem)) return undefined;
  const colours = readPicture(file, container, container.primaryId);
  if (colours === undefined) return undefined;
  const alphaIds = auxiliaryIds(container);
  if (alphaIds.length > 1) return undefined;
  const alpha = alphaIds.length === 1 ? readPicture(file, container, alphaIds[0]!) : undefined;
  if (alphaIds.length === 1 && alpha === undefined) return undefined;
  if (alpha !== undefined && !isAlphaOf(colours, alpha)) return undefined;
  const parts = alpha === undefined ? [colours] : [colours, alpha];
  return {
    format: "avif",
    width: colours.width,
    height: colours.height,
    bytesPerSample: colours.bytesPerSample,
    samplesPerPixel: colours.samplesPerPixel,
    hasAlpha: alpha !== undefined,
    hasFilters: parts.some((part) => part.hasSuperResolution || part.hasFilmGrain),
    tiles: colours.tiles,
  };
}

/**
 * Bytes that are not the data of items: of profiles and of unknown boxes, too. A library reads all of them
 * when it opens the file.
 */
function boxBytes(file: Buffer): number {
  const boxes = boxesIn(file, 0, file.length) ?? [];
  const meta = boxes.find(({ type }) => type === "meta");
  const data = [...boxes.filter(({ type }) => type === "mdat"), ...innerData(file, meta)];
  return file.length - data.reduce((sum, { start, end }) => sum + end - start, 0);
}

const innerData = (file: Buffer, meta: Box | undefined): Box[] =>
  (meta && boxesIn(file, meta.start + 4, meta.end))?.filter(({ type }) => type === "idat") ?? [];

/** A picture of a thousand tiles has 100 kB of them, and the profile of a screen has 4 kB. */
const boxBytesMax = 2 ** 20;

/** Libraries may take another picture than the primary one, so there may be no other. */
function isOnlyPicture({ items, primaryId, references }: HeifItems): boolean {
  const parts = new Set<number>();
  for (const { type, from, to } of references) {
    if (type === "auxl" || type === "thmb") parts.add(from);
    if (type === "dimg") for (const id of to) parts.add(id);
  }
  if (parts.has(primaryId)) return false;
  return [...items].every(
    ([id, { type, isHidden }]) => id === primaryId || isHidden || parts.has(id) || !pictureTypes.has(type),
  );
}

const pictureTypes: ReadonlySet<string> = new Set(["av01", "grid"]);
const isAcceptedItem = ({ type }: HeifItem): boolean => pictureTypes.has(type) || metadataTypes.has(type);

const auxiliaryIds = ({ references, primaryId }: HeifItems): number[] =>
  references.filter(({ type, to }) => type === "auxl" && to.includes(primaryId)).map(({ from }) => from);

/** A picture of one piece, or of tiles that are all alike and cover it with none to spare. */
function readPicture(file: Buffer, container: HeifItems, id: number): Decoded | undefined {
  const item = container.items.get(id);
  if (item?.data === undefined) return undefined;
  const size = sizeOf(file, item);
  if (size === undefined) return undefined;
  if (item.type === "av01") {
    const sequence = readTile(file, item);
    return sequence && { ...sequence, tiles: { count: 1, ...size } };
  }
  const grid = item.type === "grid" ? readGrid(file, item.data) : undefined;
  const tileIds = container.references.filter(({ type, from }) => type === "dimg" && from === id);
  if (grid === undefined || grid.width !== size.width || grid.height !== size.height) return undefined;
  if (tileIds.length !== 1 || tileIds[0]!.to.length !== grid.rows * grid.columns) return undefined;
  // A tile that is named twice would be decoded twice.
  if (new Set(tileIds[0]!.to).size !== tileIds[0]!.to.length) return undefined;
  const tiles = tileIds[0]!.to.map((tile) => readTile(file, container.items.get(tile)));
  const [first] = tiles;
  if (first === undefined || !tiles.every((tile) => tile !== undefined && isAlike(tile, first)))
    return undefined;
  const covers =
    grid.columns === Math.ceil(size.width / first.width) &&
    grid.rows === Math.ceil(size.height / first.height);
  const { width, height } = first;
  return covers ? { ...first, ...size, tiles: { count: tiles.length, width, height } } : undefined;
}

function readTile(file: Buffer, item: HeifItem | undefined): Av1Sequence | undefined {
  if (item?.data === undefined || item.type !== "av01") return undefined;
  const size = sizeOf(file, item);
  const configurations = item.properties.filter(({ type }) => type === "av1C");
  if (size === undefined || configurations.length !== 1) return undefined;
  // Four bytes repeat what the sequence header says; units may follow, which a library adds to the data.
  const units = file.subarray(configurations[0]!.start + 4, configurations[0]!.end);
  const sequence = av1StillPicture(units, file.subarray(item.data.start, item.data.end));
  return sequence?.width === size.width && sequence.height === size.height ? sequence : undefined;
}

/** Coded the same way, but grey or with colours that are ignored. */
const isAlphaOf = (colours: Decoded, alpha: Decoded): boolean =>
  alpha.width === colours.width &&
  alpha.height === colours.height &&
  alpha.bytesPerSample <= colours.bytesPerSample &&
  alpha.samplesPerPixel <= colours.samplesPerPixel &&
  alpha.tiles.width * alpha.tiles.height <= colours.tiles.width * colours.tiles.height;

const isAlike = (tile: Av1Sequence, other: Av1Sequence): boolean =>
  tile.width === other.width &&
  tile.height === other.height &&
  tile.bytesPerSample === other.bytesPerSample &&
  tile.samplesPerPixel === other.samplesPerPixel;

function sizeOf(file: Buffer, item: HeifItem): Size | undefined {
  const sizes = item.properties.filter(({ type }) => type === "ispe");
  if (sizes.length !== 1) return undefined;
  const cursor = new Cursor(file, sizes[0]!);
  cursor.number(4);
  const size = { width: cursor.number(4), height: cursor.number(4) };
  return cursor.isValid ? size : undefined;
}

function readGrid(
  file: Buffer,
  data: Pick<Box, "start" | "end">,
): (Size & { rows: number; columns: number }) | undefined {
  const cursor = new Cursor(file, data);
  cursor.number(1);
  const bytes = (cursor.number(1) & 1) === 1 ? 4 : 2;
  const [rows, columns] = [1 + cursor.number(1), 1 + cursor.number(1)];
  const size = { width: cursor.number(bytes), height: cursor.number(bytes) };
  return cursor.isValid ? { ...size, rows, columns } : undefined;
}

type Size = { width: number; height: number };
type Decoded = Av1Sequence & { tiles: AvifHeader["tiles"] };

/** Width and height are those before the rotation that the container asks for. */
export type AvifHeader = {
  format: "avif";
  width: number;
  height: number;
  bytesPerSample: 1 | 2;
  /** 1 grey, 1.5 with chroma of half size, 3 with chroma of full size. */
  samplesPerPixel: number;
  hasAlpha: boolean;
  /** Film grain or stretched frames, which take a further copy of a frame. */
  hasFilters: boolean;
  /** Pictures that are decoded one by one. A picture that is no grid is one tile. */
  tiles: { count: number; width: number; height: number };
};
