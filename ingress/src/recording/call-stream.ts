import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { RecordedCall, RecordedOutcome } from "@faceline/contracts/recording/recorded-call";
import type { EndedCall } from "../call/ports.ts";

/**
 * Streams what a trace of the traffic needs of each compute call, while somebody reads it: RecordedCall as
 * JSON lines. Without a reader a call costs one comparison. A reader that is too slow misses calls, and reads
 * how many: nothing waits for it.
 */
export class CallStream {
  readonly #readers = new Set<Reader>();

  /** Returns the lines of calls from now on; undefined if too many read already. `salt`: see RecordedCall. */
  open(salt: string): Readable | undefined {
    if (this.#readers.size >= readersMax) return undefined;
    const lines = new Readable({ read() {}, highWaterMark: bufferBytesMax });
    const reader: Reader = { lines, salt, pending: "", dropped: 0 };
    this.#readers.add(reader);
    // Lines go out together: a write for each call would cost more than the line.
    const timer = setInterval(() => flush(reader), flushEveryMs);
    timer.unref();
    lines.once("close", () => {
      clearInterval(timer);
      this.#readers.delete(reader);
    });
    return lines;
  }

  add(call: EndedCall): void {
    for (const reader of this.#readers) {
      const recorded = recordedCall(call, reader.salt);
      if (recorded === undefined) continue;
      const held = reader.lines.readableLength + reader.pending.length;
      if (held > bufferBytesMax) reader.dropped++;
      else reader.pending += `${JSON.stringify(recorded)}\n`;
    }
  }
}

function flush(reader: Reader): void {
  if (reader.lines.readableLength > bufferBytesMax) return;
  const missing = reader.dropped === 0 ? "" : `{"dropped":${reader.dropped}}\n`;
  // An empty line shows that the connection works.
  reader.lines.push(reader.pending + missing || "\n");
  reader.pending = "";
  reader.dropped = 0;
}

function recordedCall({ record, status, parts }: EndedCall, salt: string): RecordedCall | undefined {
  const outcome = outcomeOf(record.error?.code, status);
  const { tenant, lane, deadlineMs, arrivedAt, imageSizes } = record;
  if (outcome === undefined || tenant === undefined || deadlineMs === undefined) return undefined;
  // Vectors need no worker.
  if (outcome !== "shed" && imageSizes.length === 0) return undefined;
  return {
    at: arrivedAt,
    tenant: createHash("sha256").update(salt).update(tenant).digest().readUInt32BE(0),
    ...(lane !== undefined && { lane }),
    deadlineMs,
    images: imageSizes.map(({ bytes, pixels }): [number, number] => [bytes, pixels]),
    outcome,
    ...(outcome === "answered" && {
      tookMs: hundredths(parts.total),
      serviceMs: hundredths(parts.total - parts.hold - parts.queue - parts.retry - parts.prepare - parts.run),
    }),
  };
}

const hundredths = (ms: number): number => Number(ms.toFixed(2));

/** Undefined: the call reached no queue. */
function outcomeOf(error: string | undefined, status: number | undefined): RecordedOutcome | undefined {
  if (status === undefined) return "left";
  if (status === 200) return "answered";
  if (error === "queue_full" || error === "queue_timeout") return "shed";
  if (error === "no_face_detected" || error === "multiple_faces") return "answered";
  if (status === 504) return "late";
  return status >= 500 ? "failed" : undefined;
}

type Reader = { lines: Readable; salt: string; pending: string; dropped: number };

/** Limit of the lines that wait for a reader. */
const bufferBytesMax = 1_048_576;
const flushEveryMs = 200;
const readersMax = 2;
