import { decodingCost } from "@faceline/contracts/image/decoding-cost";
import type { ImageHeader } from "@faceline/contracts/image/header";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { Arrival, Arrivals } from "@faceline/simulation/arrivals";
import type { MeasuredCalls } from "./trace-file.ts";

/**
 * Calls in the order of their arrival, without what they contained: when, whose (a number), for which lane,
 * how many pictures of which size, and until when. They lie in flat arrays of shared memory, 25 bytes a call
 * and 12 a picture, so that several threads can read a million of them.
 */
export class Trace {
  readonly columns: TraceColumns;

  constructor(columns: TraceColumns) {
    this.columns = columns;
  }

  get calls(): number {
    return this.columns.atMs.length;
  }

  get pictures(): number {
    return this.columns.cost.length;
  }

  /** Time from the first arrival to the last. */
  get durationMs(): number {
    const { atMs } = this.columns;
    return atMs.length === 0 ? 0 : atMs.at(-1)! - atMs[0]!;
  }

  /** Index of the first call at or after this instant. */
  indexAt(instantMs: number): number {
    const { atMs } = this.columns;
    let [from, until] = [0, atMs.length];
    while (from < until) {
      const middle = (from + until) >> 1;
      if (atMs[middle]! < instantMs) from = middle + 1;
      else until = middle;
    }
    return from;
  }

  picturesOf(call: number): number {
    return this.#pictureEnd(call) - this.columns.firstPicture[call]!;
  }

  /** Bytes and pixels of a picture of a call. */
  pictureOf(call: number, index: number): PictureSize {
    const { firstPicture, bytes, pixels } = this.columns;
    const picture = firstPicture[call]! + index;
    return { bytes: bytes[picture]!, pixels: pixels[picture]! };
  }

  /** Returns the calls from index `from` to below `until` as arrivals of a simulation, the first at 0 ms. */
  arrivals(from: number, until: number): Arrivals {
    const { atMs, tenant, lane, timeBudgetMs, firstPicture, cost, lanes } = this.columns;
    const startMs = atMs[from] ?? 0;
    const names = new Map<number, string>();
    /** One string for all calls of a tenant: equal ones are compared letter by letter. */
    const nameOf = (number: number): string => {
      const name = names.get(number) ?? `tenant-${number}`;
      if (!names.has(number)) names.set(number, name);
      return name;
    };
    return {
      at: (index): Arrival | undefined => {
        const call = from + index;
        if (call >= until) return undefined;
        const costs: number[] = [];
        const pictureEnd = this.#pictureEnd(call);
        for (let picture = firstPicture[call]!; picture < pictureEnd; picture++) costs.push(cost[picture]!);
        return {
          atMs: atMs[call]! - startMs,
          tenant: nameOf(tenant[call]!),
          tasks: costs.length,
          costs,
          lane: lanes[lane[call]!]!,
          timeBudgetMs: timeBudgetMs[call]!,
        };
      },
    };
  }

  #pictureEnd(call: number): number {
    return this.columns.firstPicture[call + 1] ?? this.columns.cost.length;
  }
}

/**
 * Collects the calls of a trace in the columns of one: a million calls as objects would take 300 MiB. They
 * must come in the order of time.
 */
export class TraceBuilder {
  readonly #columns: TraceColumns;
  #calls = 0;
  #pictures = 0;

  /** `calls` and `pictures`: for how many there is room at first. */
  constructor({ calls = 1_024, pictures = 1_024 }: { calls?: number; pictures?: number } = {}) {
    const bytes = (count: number) => new SharedArrayBuffer(Math.max(8, count));
    this.#columns = {
      lanes: [],
      atMs: new Float64Array(bytes(8 * calls)),
      timeBudgetMs: new Float64Array(bytes(8 * calls)),
      tenant: new Uint32Array(bytes(4 * calls)),
      lane: new Uint8Array(bytes(calls)),
      firstPicture: new Uint32Array(bytes(4 * calls)),
      cost: new Float32Array(bytes(4 * pictures)),
      bytes: new Uint32Array(bytes(4 * pictures)),
      pixels: new Uint32Array(bytes(4 * pictures)),
    };
  }

  get calls(): number {
    return this.#calls;
  }

  add({ atMs, tenant, lane, timeBudgetMs, pictures }: TraceCall): void {
    const columns = this.#columns;
    const call = this.#calls++;
    if (call === columns.atMs.length) lengthen(columns, callColumns);
    if (!columns.lanes.includes(lane)) columns.lanes.push(lane);
    columns.atMs[call] = atMs;
    columns.timeBudgetMs[call] = timeBudgetMs;
    columns.tenant[call] = tenant;
    columns.lane[call] = columns.lanes.indexOf(lane);
    columns.firstPicture[call] = this.#pictures;
    for (const size of pictures) {
      const picture = this.#pictures++;
      if (picture === columns.cost.length) lengthen(columns, pictureColumns);
      columns.cost[picture] = costOf(size);
      columns.bytes[picture] = size.bytes;
      columns.pixels[picture] = size.pixels;
    }
  }

  build(measured?: MeasuredCalls): Trace {
    const columns: TraceColumns = { ...this.#columns, measured };
    for (const name of callColumns) columns[name] = columns[name].subarray(0, this.#calls) as never;
    for (const name of pictureColumns) columns[name] = columns[name].subarray(0, this.#pictures) as never;
    return new Trace(columns);
  }
}

/** Doubles the room in these columns. Memory that nothing was written to takes no place. */
function lengthen(
  columns: TraceColumns,
  names: readonly (typeof callColumns | typeof pictureColumns)[number][],
): void {
  for (const name of names) {
    const before = columns[name];
    const Column = before.constructor as new (buffer: SharedArrayBuffer) => typeof before;
    const longer = new Column(new SharedArrayBuffer(2 * before.byteLength));
    longer.set(before);
    columns[name] = longer as never;
  }
}

const callColumns = ["atMs", "timeBudgetMs", "tenant", "lane", "firstPicture"] as const;
const pictureColumns = ["cost", "bytes", "pixels"] as const;

/** Cost of decoding, as for a baseline JPEG, because a trace does not say how pictures were coded. */
function costOf({ bytes, pixels }: PictureSize): number {
  const header: ImageHeader = {
    format: "jpeg",
    width: pixels,
    height: 1,
    components: 3,
    samplesPerPixel: 3,
    severalScans: false,
  };
  return decodingCost(header, bytes);
}

export type PictureSize = { bytes: number; pixels: number };

type TraceCall = {
  /** Since the start of the trace. */
  atMs: number;
  tenant: number;
  lane: LaneId;
  timeBudgetMs: number;
  pictures: readonly PictureSize[];
};

/** Can be sent to another thread as it is. */
export type TraceColumns = {
  lanes: LaneId[];
  /** Undefined where the calls were drawn or come from an access log. */
  measured?: MeasuredCalls | undefined;
  atMs: Float64Array<SharedArrayBuffer>;
  timeBudgetMs: Float64Array<SharedArrayBuffer>;
  tenant: Uint32Array<SharedArrayBuffer>;
  /** Index in `lanes`. */
  lane: Uint8Array<SharedArrayBuffer>;
  /** Index of the first picture of each call in `cost`. */
  firstPicture: Uint32Array<SharedArrayBuffer>;
  /** Cost of decoding each picture, see decodingCost. */
  cost: Float32Array<SharedArrayBuffer>;
  bytes: Uint32Array<SharedArrayBuffer>;
  pixels: Uint32Array<SharedArrayBuffer>;
};
