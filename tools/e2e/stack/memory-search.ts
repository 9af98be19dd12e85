import { closeSync, openSync, readFileSync, readSync } from "node:fs";

/**
 * Value for the `skip` of a test: false, or the reason why memory cannot be searched here. It needs Linux,
 * which shows the memory of a process to its user where nothing forbids it, and glibc, which can overwrite
 * freed memory.
 */
export const memorySearchUnavailable: string | false = (() => {
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
 * Searches the memory of a process for contents. Each content is cut into fragments of 16 bytes, so that it
 * is found wherever a few dozen consecutive bytes of it are left.
 */
export class MemorySearch {
  readonly #names: string[] = [];
  readonly #fragments = new Map<number, { bytes: Buffer; name: number }[]>();
  /** Bit set of the fragments' first three bytes: one look-up rules out almost every address. */
  readonly #prefixes = new Uint8Array(2 ** 21);

  /** Adds a content. Several contents may have the same name. */
  add(name: string, content: Uint8Array): void {
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    const index = this.#names.push(name) - 1;
    for (let at = 0; at + fragmentBytes <= bytes.length; at += strideBytes) {
      const fragment = Buffer.from(bytes.subarray(at, at + fragmentBytes));
      // Too uniform: the same bytes occur elsewhere by chance.
      if (new Set(fragment).size < distinctBytesMin) continue;
      const key = fragment.readUInt32LE();
      const same = this.#fragments.get(key);
      if (same === undefined) this.#fragments.set(key, [{ bytes: fragment, name: index }]);
      else same.push({ bytes: fragment, name: index });
      const prefix = key & 0xff_ffff;
      this.#prefixes[prefix >> 3]! |= 1 << (prefix & 7);
    }
  }

  /** Counts the fragments in the memory of a process, by the name of their content and the kind of region. */
  searchIn(pid: number): FragmentCounts {
    const counts: FragmentCounts = {};
    for (const { kind, bytes } of writableMemory(pid)) {
      this.#search(bytes, (name) => {
        const byKind = (counts[name] ??= {});
        byKind[kind] = (byKind[kind] ?? 0) + 1;
      });
    }
    return counts;
  }

  #search(bytes: Buffer, onMatch: (name: string) => void): void {
    const prefixes = this.#prefixes;
    let last = 0;
    const end = bytes.length - fragmentBytes + 3;
    for (let at = 0; at < end; at++) {
      last = (last >>> 8) | (bytes[at]! << 16);
      if ((prefixes[last >> 3]! & (1 << (last & 7))) === 0 || at < 2) continue;
      const start = at - 2;
      for (const { bytes: fragment, name } of this.#fragments.get(bytes.readUInt32LE(start)) ?? []) {
        if (bytes.compare(fragment, 0, fragmentBytes, start, start + fragmentBytes) === 0)
          onMatch(this.#names[name]!);
      }
    }
  }
}

/**
 * The writable memory of a process in chunks that overlap by a fragment, without pages that were never
 * touched.
 */
function* writableMemory(pid: number): Iterable<{ kind: string; bytes: Buffer }> {
  const memory = openSync(`/proc/${pid}/mem`, "r");
  const pages = openSync(`/proc/${pid}/pagemap`, "r");
  try {
    for (const { from, to, kind } of writableRegions(pid)) {
      for (let at = from; at < to; at += chunkBytes) {
        const length = Math.min(chunkBytes, to - at);
        const entries = Buffer.alloc((length / pageBytes) * 8);
        readSync(pages, entries, 0, entries.length, (at / pageBytes) * 8);
        // Bit 63: present, bit 62: swapped out. Most reserved pages were never touched.
        const touched = entries.some((byte, i) => i % 8 === 7 && byte >= 0x40);
        if (!touched) continue;
        let read: number;
        try {
          read = readSync(memory, chunk, 0, Math.min(length + fragmentBytes, to - at), at);
        } catch {
          // Unmapped since the list was read, or not readable, such as [vvar].
          continue;
        }
        const bytes = chunk.subarray(0, read);
        if (!bytes.equals(zeros.subarray(0, read))) yield { kind, bytes };
      }
    }
  } finally {
    closeSync(memory);
    closeSync(pages);
  }
}

/** Only writable regions can hold what a process received. */
function writableRegions(pid: number): Region[] {
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
const distinctBytesMin = 8;
const pageBytes = 4_096;
const chunkBytes = 256 * 1024;
const chunk = Buffer.alloc(chunkBytes + fragmentBytes);
const zeros = Buffer.alloc(chunkBytes + fragmentBytes);

type Region = { from: number; to: number; kind: string };

/** Counts by the name of the content, then by the region: `{ pixels: { "[heap]": 12 } }`. */
type FragmentCounts = Record<string, Record<string, number>>;
