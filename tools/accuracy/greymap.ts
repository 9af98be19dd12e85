import type { Pixels } from "@faceline/inference/geometry/pixels";

/**
 * Reads a binary portable greymap (PGM, "P5") of 8 bits without comments, as RGB. Where the header ends its
 * lines as on Windows, a text mode has put a carriage return before every byte of 10, which is undone.
 * Undefined if there are more or fewer pixels than the header says.
 */
export function readGreymap(bytes: Buffer): Pixels | undefined {
  const isText = bytes.subarray(0, 4).equals(Buffer.from("P5\r\n"));
  const binary = isText ? Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1") : bytes;
  const header = /^P5\n(\d+) (\d+)\n255\n/.exec(binary.toString("latin1", 0, 40));
  const [width, height] = [Number(header?.[1]), Number(header?.[2])];
  const grey = binary.subarray(header?.[0].length);
  if (header === null || grey.length !== width * height) return undefined;
  const pixels = new Uint8Array(3 * grey.length);
  for (const [index, value] of grey.entries()) pixels.fill(value, 3 * index, 3 * index + 3);
  return { pixels, width, height };
}
