/**
 * Parts of a file that are kept, in order. Nothing is copied until something is cut; then into one buffer, so
 * that a file of many small pieces takes no more memory than another. without-metadata.test.ts covers it.
 */
export class KeptBytes {
  readonly #file: Buffer;
  #copy: Buffer | undefined;
  #copied = 0;
  #from = 0;

  constructor(file: Buffer) {
    this.#file = file;
  }

  /** Cuts the bytes from `start` to before `end`, which come after all that were cut so far. */
  cut(start: number, end: number, replacement?: Buffer): void {
    if (start === end && replacement === undefined) return;
    this.#copy ??= Buffer.allocUnsafeSlow(this.#file.length + replacementBytesMax);
    if (start > this.#from) this.#copied += this.#file.copy(this.#copy, this.#copied, this.#from, start);
    if (replacement !== undefined) this.#copied += replacement.copy(this.#copy, this.#copied);
    this.#from = end;
  }

  /** The file itself if nothing was cut. */
  end(): Buffer {
    if (this.#copy === undefined) return this.#file;
    this.cut(this.#file.length, this.#file.length, Buffer.alloc(0));
    return this.#copy.subarray(0, this.#copied);
  }
}

/** Bytes of all replacements together: an orientation, where the file had more. */
const replacementBytesMax = 128;

/** An image without metadata. `orientation` is that of EXIF, 1 to 8: of an AVIF 1, because it has another. */
export type PlainImage = { image: Buffer; orientation: number };
