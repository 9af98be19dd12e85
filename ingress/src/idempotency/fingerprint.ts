import { createHash, type Hash } from "node:crypto";
import { Transform } from "node:stream";

/**
 * SHA-256 of a call: its path, its query and its body. Two calls with one `Idempotency-Key` are the same call
 * if their fingerprints are equal. JSON is hashed byte for byte; forms by their fields, because clients
 * choose a new multipart boundary for every try.
 */
export class Fingerprint {
  readonly #hash: Hash;
  #streamed = false;

  constructor(url: string) {
    this.#hash = createHash("sha256").update(url).update("\0");
  }

  /** Returns a stream that passes the bytes of a JSON body through and hashes them. */
  hashingStream(): Transform {
    this.#streamed = true;
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.#hash.update(chunk);
        done(null, chunk);
      },
    });
  }

  /** Returns the fingerprint (hex). To be called once, with the parsed body, after the body was read. */
  digest(body: unknown): string {
    if (!this.#streamed) hashValue(this.#hash, body);
    return this.#hash.digest("hex");
  }
}

/** Hashes every value after its kind and length, so that no two different bodies yield the same bytes. */
function hashValue(hash: Hash, value: unknown): void {
  if (typeof value === "string" || value instanceof Uint8Array) {
    const [kind, length] = typeof value === "string" ? ["s", Buffer.byteLength(value)] : ["b", value.length];
    hash.update(`${kind}${length}:`).update(value);
  } else if (Array.isArray(value)) {
    hash.update(`a${value.length}:`);
    for (const item of value) hashValue(hash, item);
  } else if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    hash.update(`o${fields.length}:`);
    for (const [name, item] of fields) {
      hashValue(hash, name);
      hashValue(hash, item);
    }
  } else {
    hash.update(`p${String(value)};`);
  }
}
