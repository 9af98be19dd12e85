import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { recordedOutcomes } from "@faceline/contracts/recording/recorded-call";
import { LaneId } from "@faceline/contracts/wire/ids";
import * as z from "zod";
import { MeasuredCalls } from "./measured-calls.ts";
import { type Trace, TraceBuilder } from "./trace.ts";

/** Lanes of a trace. */
export const traceLanesMax = 16;

/** First line of a trace file. */
const TraceHeader = z.object({
  format: z.literal("faceline-trace"),
  version: z.literal(1),
  /** The lanes that calls name by their index. */
  lanes: z.array(LaneId).min(1).max(traceLanesMax),
  measured: MeasuredCalls.optional(),
});

/** Bytes and pixels: more than any image that the service accepts. */
const sizeMax = 4_000_000_000;

/** Every other line is a call. */
const CallLine = z.tuple([
  /** ms since the start of the trace. */
  z.number().nonnegative().finite(),
  /** A number instead of a name. */
  z.number().int().min(0).max(4_294_967_295),
  z
    .number()
    .int()
    .min(0)
    .max(traceLanesMax - 1),
  /** ms from the arrival to the deadline. */
  z.number().positive().max(120_000),
  /** Bytes and pixels of each image. */
  z
    .array(z.tuple([z.number().int().positive().max(sizeMax), z.number().int().positive().max(sizeMax)]))
    .min(1)
    .max(51),
  /** How it ended, where it was recorded. Predictions do not use it. */
  z.enum(recordedOutcomes).optional(),
]);

/**
 * Reads a trace: JSON lines, of which the first names the format and the lanes, and every other one is a
 * call. Nothing else is in it, neither names nor images. Throws an Error that names the line, also for more
 * than `callsMax` calls: so many fit in about 100 MB.
 */
export async function readTrace(file: string): Promise<Trace> {
  const builder = new TraceBuilder();
  let header: z.infer<typeof TraceHeader> | undefined;
  let [lineNumber, lastAtMs] = [0, 0];
  if (!existsSync(file)) throw new Error(`There is no trace ${file}. npm run plan -- record makes one.`);
  const input = createReadStream(file, { encoding: "utf8" });
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    lineNumber++;
    if (line === "") continue;
    const where = `line ${lineNumber} of ${file}`;
    const content = parseLine(line, where);
    if (header === undefined) {
      const { success, data } = TraceHeader.safeParse(content);
      if (!success) throw new Error(`${where} is not the header of a Faceline trace, version 1.`);
      header = data;
      continue;
    }
    const { success, data } = CallLine.safeParse(content);
    if (!success)
      throw new Error(`${where} is not a request: [ms, tenant, lane, deadline ms, [[bytes, pixels]]].`);
    const [atMs, tenant, laneIndex, timeBudgetMs, images] = data;
    const lane = header.lanes[laneIndex];
    if (lane === undefined) throw new Error(`${where} names lane ${laneIndex} of ${header.lanes.length}.`);
    if (atMs < lastAtMs) throw new Error(`${where} is earlier than the previous line.`);
    if (builder.calls === callsMax) throw new Error(`${file} has more than ${callsMax} requests; cut it.`);
    lastAtMs = atMs;
    const sizes = images.map(([bytes, pixels]) => ({ bytes, pixels }));
    builder.add({ atMs, tenant, lane, timeBudgetMs, images: sizes });
  }
  if (builder.calls === 0) throw new Error(`${file} has no requests.`);
  return builder.build(header?.measured);
}

function parseLine(line: string, where: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new Error(`${where} is not JSON.`);
  }
}

const callsMax = 2_000_000;
