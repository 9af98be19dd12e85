import { createHash, type Hash } from "node:crypto";
import { Transform } from "node:stream";

/**
 * What a call asks for, as a SHA-256: its path and query, and its body. Two calls with one `Idempotency-Key` are the same
 * call when these are equal. JSON counts byte for byte; forms by their fields, because clients draw the boundary
 * between the parts of a form anew at every try.
 */
export class Fingerprint {
  readonly #hash: Hash;
  #streamed = false;

  constructor(url: string) {
    this.#hash = createHash("sha256").update(url).update("\0");
  }

  /** Passes a body through, and takes its bytes in on the way. */
  through(): Transform {
    this.#streamed = true;
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.#hash.update(chunk);
        done(null, chunk);
      },
    });
  }

  /** Once, when the body has been read. */
  digest(body: unknown): string {
    if (!this.#streamed) takeIn(this.#hash, body);
    return this.#hash.digest("hex");
  }
}

/** Every value with its kind and length before it: no two different bodies look the same. */
function takeIn(hash: Hash, value: unknown): void {
  if (typeof value === "string" || value instanceof Uint8Array) {
    const [kind, length] = typeof value === "string" ? ["s", Buffer.byteLength(value)] : ["b", value.length];
    hash.update(`${kind}${length}:`).update(value);
  } else if (Array.isArray(value)) {
    hash.update(`a${value.length}:`);
    for (const each of value) takeIn(hash, each);
  } else if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    hash.update(`o${fields.length}:`);
    for (const [name, each] of fields) {
      takeIn(hash, name);
      takeIn(hash, each);
    }
  } else {
    hash.update(`p${String(value)};`);
  }
}
