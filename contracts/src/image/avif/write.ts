import type { AvifItem, AvifPicture } from "./picture.ts";

/**
 * Returns an AVIF file of this picture and nothing else, whose data lie in `file`: the new head stands before
 * all of its bytes, and names only those of the picture. So libheif reads what was understood.
 */
export function writeAvif({ colours, alpha }: AvifPicture, file: Buffer): Buffer {
  const parts = alpha === undefined ? [colours] : [colours, alpha];
  const items: FileItem[] = [];
  const references: FileReference[] = [];
  for (const part of parts) {
    const from = items.length + 1;
    const tiles = part.tiles.map((tile, index) => ({ ...tile, id: from + 1 + index, isHidden: true }));
    items.push({ ...part, id: from }, ...tiles);
    if (tiles.length > 0) references.push({ type: "dimg", from, to: tiles.map(({ id }) => id) });
    if (part === alpha) references.push({ type: "auxl", from, to: [1] });
  }
  return avifFile(items, references, file);
}

/**
 * Returns an AVIF file with these items, the first of which is the primary one. Their data lie in `file`, all
 * of whose bytes follow the head.
 */
export function avifFile(items: FileItem[], references: FileReference[], file: Buffer): Buffer {
  // Items that are alike share their properties: libheif accepts a hundred.
  const textsOf = ({ properties }: FileItem) => properties.map(({ whole }) => whole.toString("latin1"));
  const texts = [...new Set(items.flatMap(textsOf))];
  const links = items.map((item) => {
    const indices = textsOf(item).map((text) => uint(2, 0x8001 + texts.indexOf(text)));
    return Buffer.concat([uint(2, item.id), uint(1, indices.length), ...indices]);
  });
  const infos = items.map(({ id, type, isHidden }) =>
    fullBox("infe", isHidden ? 0x02000001 : 0x02000000, [uint(2, id), uint(2, 0), latin1(`${type}\0`)]),
  );
  const named = references.map(({ type, from, to }) =>
    box(
      type,
      [from, to.length, ...to].map((number) => uint(2, number)),
    ),
  );
  const head = (dataAt: number): Buffer => {
    const places = items.map(({ id, data }) => {
      const at = dataAt + data.byteOffset - file.byteOffset;
      return Buffer.concat([uint(2, id), uint(4, 1), uint(4, at), uint(4, data.length)]);
    });
    return Buffer.concat([
      box("ftyp", [latin1("avif\0\0\0\0avifmif1miaf")]),
      fullBox("meta", 0, [
        fullBox("hdlr", 0, [uint(4, 0), latin1("pict".padEnd(17, "\0"))]),
        fullBox("pitm", 0, [uint(2, items[0]!.id)]),
        fullBox("iloc", 0, [uint(2, 0x4400), uint(2, items.length), ...places]),
        fullBox("iinf", 0, [uint(2, items.length), ...infos]),
        box("iprp", [box("ipco", texts.map(latin1)), fullBox("ipma", 1, [uint(4, items.length), ...links])]),
        ...(named.length === 0 ? [] : [fullBox("iref", 0, named)]),
      ]),
      uint(4, 8 + file.length),
      latin1("mdat"),
    ]);
  };
  // Offsets have a fixed size, so the head is measured with others first.
  return Buffer.concat([head(head(0).length), file]);
}

function box(type: string, content: Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  return Buffer.concat([uint(4, 8 + bytes.length), latin1(type), bytes]);
}

const fullBox = (type: string, versionAndFlags: number, content: Buffer[]): Buffer =>
  box(type, [uint(4, versionAndFlags), ...content]);

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

function uint(bytes: number, value: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}

type FileItem = AvifItem & { id: number; isHidden?: boolean };
type FileReference = { type: string; from: number; to: number[] };
