import { closeSync, openSync, readFileSync, readSync } from "node:fs";

/**
 * For the `skip` of a test. Only Linux shows a process' memory, to the same user where nothing forbids it; and only glibc
 * overwrites what is freed when it is told to.
 */
export const withoutMemory: string | false = (() => {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  if (report.header?.glibcVersionRuntime === undefined) return "memory is searched on Linux with glibc alone";
  try {
    closeSync(openSync("/proc/self/mem", "r"));
    return false;
  } catch {
    return "the memory of processes cannot be read here";
  }
})();

/**
 * Contents by which the memory of a process is searched. Each is cut into fragments of a few bytes, so that it is found
 * wherever a few dozen bytes of it lie together, whatever became of the rest.
 */
export class Imprints {
  readonly #names: string[] = [];
  readonly #fragments = new Map<number, { run: Buffer; name: number }[]>();
  /** Which first three bytes a fragment has: one look at it rules out almost every place. */
  readonly #prefixes = new Uint8Array(2 ** 21);

  /** A name may stand for several contents. */
  add(name: string, content: Uint8Array): void {
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    const known = this.#names.push(name) - 1;
    for (let at = 0; at + fragmentBytes <= bytes.length; at += strideBytes) {
      const run = Buffer.from(bytes.subarray(at, at + fragmentBytes));
      // What is that even could be anybody's.
      if (new Set(run).size < variedBytes) continue;
      const key = run.readUInt32LE();
      const same = this.#fragments.get(key);
      if (same === undefined) this.#fragments.set(key, [{ run, name: known }]);
      else same.push({ run, name: known });
      const prefix = key & 0xff_ffff;
      this.#prefixes[prefix >> 3]! |= 1 << (prefix & 7);
    }
  }

  /** What of them lies in the process' memory: for each name, how many fragments in which kind of region. */
  searchIn(pid: number): Found {
    const found: Found = {};
    for (const { kind, bytes } of memoryOf(pid)) {
      this.#search(bytes, (name) => {
        const places = (found[name] ??= {});
        places[kind] = (places[kind] ?? 0) + 1;
      });
    }
    return found;
  }

  #search(bytes: Buffer, find: (name: string) => void): void {
    const prefixes = this.#prefixes;
    let last = 0;
    const end = bytes.length - fragmentBytes + 3;
    for (let at = 0; at < end; at++) {
      last = (last >>> 8) | (bytes[at]! << 16);
      if ((prefixes[last >> 3]! & (1 << (last & 7))) === 0 || at < 2) continue;
      const start = at - 2;
      for (const { run, name } of this.#fragments.get(bytes.readUInt32LE(start)) ?? []) {
        if (bytes.compare(run, 0, fragmentBytes, start, start + fragmentBytes) === 0)
          find(this.#names[name]!);
      }
    }
  }
}

/** What a process can write to, piece by piece: pages that it has touched, in runs that overlap by a fragment. */
function* memoryOf(pid: number): Iterable<{ kind: string; bytes: Buffer }> {
  const memory = openSync(`/proc/${pid}/mem`, "r");
  const pages = openSync(`/proc/${pid}/pagemap`, "r");
  try {
    for (const { from, to, kind } of regionsOf(pid)) {
      for (let at = from; at < to; at += pieceBytes) {
        const length = Math.min(pieceBytes, to - at);
        const entries = Buffer.alloc((length / pageBytes) * 8);
        readSync(pages, entries, 0, entries.length, (at / pageBytes) * 8);
        // Present, or swapped out. Most of what is reserved was never touched.
        const touched = entries.some((byte, i) => i % 8 === 7 && byte >= 0x40);
        if (!touched) continue;
        let read: number;
        try {
          read = readSync(memory, piece, 0, Math.min(length + fragmentBytes, to - at), at);
        } catch {
          // Gone since the list was made, or not to be read, like what the kernel lends.
          continue;
        }
        const bytes = piece.subarray(0, read);
        if (!bytes.equals(zeros.subarray(0, read))) yield { kind, bytes };
      }
    }
  } finally {
    closeSync(memory);
    closeSync(pages);
  }
}

/** What a process can write to is all that can hold what it was sent. */
function regionsOf(pid: number): Region[] {
  const lines = readFileSync(`/proc/${pid}/maps`, "utf8").trimEnd().split("\n");
  return lines.flatMap((line) => {
    const [, from = "", to = "", rights = "", name = ""] = /^(\S+)-(\S+) (\S+) \S+ \S+ \S+\s*(.*)$/.exec(
      line,
    )!;
    if (!rights.startsWith("rw")) return [];
    return [{ from: Number.parseInt(from, 16), to: Number.parseInt(to, 16), kind: name || "anonymous" }];
  });
}

const fragmentBytes = 16;
const strideBytes = 64;
const variedBytes = 8;
const pageBytes = 4_096;
const pieceBytes = 256 * 1024;
const piece = Buffer.alloc(pieceBytes + fragmentBytes);
const zeros = Buffer.alloc(pieceBytes + fragmentBytes);

type Region = { from: number; to: number; kind: string };

/** Fragments by the name of their content, then by the region: `{ pixels: { "[heap]": 12 } }`. */
export type Found = Record<string, Record<string, number>>;
