/**
 * Returns what the sequence header of an AV1 still picture says, or undefined if the data are not one
 * sequence header and one frame. A decoder would decode every further frame, each as large as the first and
 * a few bytes long. `configuration` is what the container adds before `data`. Reads heads only. (AV1
 * specification 5.3 to 5.5; header.test.ts covers it.)
 *
 *     [ head: type and size of a unit, content ] …
 */
export function av1StillPicture(configuration: Buffer, data: Buffer): Av1Sequence | undefined {
  let sequence: Buffer | undefined;
  let frames = 0;
  for (const part of [configuration, data]) {
    for (let at = 0, units = 0; at < part.length; units++) {
      const unit = units < unitsMax ? unitAt(part, at) : undefined;
      if (unit === undefined || !acceptedUnits.has(unit.type)) return undefined;
      const content = part.subarray(unit.start, unit.end);
      if (unit.type === unitTypes.sequenceHeader) {
        // A decoder would take the last one.
        if (sequence !== undefined && !sequence.equals(content)) return undefined;
        sequence = content;
      }
      if (unit.type === unitTypes.frame || unit.type === unitTypes.frameHeader) frames++;
      at = unit.end;
    }
  }
  return frames === 1 && sequence !== undefined ? readSequence(sequence) : undefined;
}

function unitAt(data: Buffer, at: number): { type: number; start: number; end: number } | undefined {
  const head = data[at]!;
  const [hasExtension, hasSize] = [(head & 4) !== 0, (head & 2) !== 0];
  if (!hasSize) return undefined;
  let start = at + (hasExtension ? 2 : 1);
  let size = 0;
  // Seven bits a byte, the lowest first. Four bytes are 256 MiB.
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = data[start++] ?? 0xff;
    size |= (byte & 0x7f) << shift;
    if (byte < 0x80)
      return start + size <= data.length ? { type: (head >> 3) & 15, start, end: start + size } : undefined;
  }
  return undefined;
}

function readSequence(header: Buffer): Av1Sequence | undefined {
  const bits = new Bits(header);
  const profile = bits.number(3);
  bits.number(1);
  const isReduced = bits.number(1) === 1;
  if (!readOperatingPoint(bits, isReduced)) return undefined;
  const [widthBits, heightBits] = [1 + bits.number(4), 1 + bits.number(4)];
  const [width, height] = [1 + bits.number(widthBits), 1 + bits.number(heightBits)];
  if (!isReduced && bits.number(1) === 1) bits.number(7);
  bits.number(3);
  if (!isReduced) skipInterFrameTools(bits);
  const hasSuperResolution = bits.number(1) === 1;
  bits.number(2);
  const colours = readColours(bits, profile);
  const hasFilmGrain = bits.number(1) === 1;
  return bits.isValid ? { width, height, ...colours, hasSuperResolution, hasFilmGrain } : undefined;
}

/** Returns false for several operating points, and for timing, which a still picture has no use for. */
function readOperatingPoint(bits: Bits, isReduced: boolean): boolean {
  if (isReduced) {
    bits.number(5);
    return true;
  }
  if (bits.number(1) === 1) return false;
  const hasDelay = bits.number(1) === 1;
  if (bits.number(5) !== 0) return false;
  bits.number(12);
  if (bits.number(5) > 7) bits.number(1);
  if (hasDelay && bits.number(1) === 1) bits.number(4);
  return true;
}

function skipInterFrameTools(bits: Bits): void {
  bits.number(4);
  const hasOrderHint = bits.number(1) === 1;
  if (hasOrderHint) bits.number(2);
  const screenContentTools = bits.number(1) === 1 || bits.number(1) === 1;
  if (screenContentTools && bits.number(1) === 0) bits.number(1);
  if (hasOrderHint) bits.number(3);
}

function readColours(bits: Bits, profile: number): Pick<Av1Sequence, "bytesPerSample" | "samplesPerPixel"> {
  const isDeep = bits.number(1) === 1;
  const isDeepest = profile === 2 && isDeep && bits.number(1) === 1;
  const bytesPerSample = isDeep ? 2 : 1;
  const isGrey = profile !== 1 && bits.number(1) === 1;
  const hasDescription = bits.number(1) === 1;
  const description = hasDescription ? bits.number(24) : 0;
  if (isGrey) {
    bits.number(1);
    return { bytesPerSample, samplesPerPixel: 1 };
  }
  let [halfColumns, halfRows] = [profile !== 1, profile === 0];
  if (description !== sRgbDescription) {
    bits.number(1);
    if (isDeepest) {
      halfColumns = bits.number(1) === 1;
      halfRows = halfColumns && bits.number(1) === 1;
    }
    if (halfColumns && halfRows) bits.number(2);
  } else {
    [halfColumns, halfRows] = [false, false];
  }
  bits.number(1);
  return { bytesPerSample, samplesPerPixel: 1 + 2 / ((halfColumns ? 2 : 1) * (halfRows ? 2 : 1)) };
}

/** Primaries 1, transfer 13, matrix 0: colours as they are, so never subsampled. */
const sRgbDescription = 0x010d00;

/** Reads bits from the highest of each byte. A bit past the end is 0 and makes the reader invalid. */
class Bits {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  number(bits: number): number {
    let value = 0;
    for (let i = 0; i < bits; i++, this.#at++) {
      value = value * 2 + (((this.#bytes[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1);
    }
    return value;
  }

  get isValid(): boolean {
    return this.#at <= 8 * this.#bytes.length;
  }
}

const unitTypes = {
  sequenceHeader: 1,
  temporalDelimiter: 2,
  frameHeader: 3,
  tileGroup: 4,
  metadata: 5,
  frame: 6,
  padding: 15,
} as const;
const acceptedUnits: ReadonlySet<number> = new Set(Object.values(unitTypes));

/** A frame may have a unit for each tile; encoders write one for all. */
const unitsMax = 1_000;

export type Av1Sequence = {
  /** The decoder refuses frames that are larger. */
  width: number;
  height: number;
  bytesPerSample: 1 | 2;
  /** 1 grey, 1.5 with chroma of half size, 3 with chroma of full size. */
  samplesPerPixel: number;
  /** Whether frames may be narrower than the picture and be stretched. */
  hasSuperResolution: boolean;
  hasFilmGrain: boolean;
};
