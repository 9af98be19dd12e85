import { decodingCost } from "@faceline/images/decoding-cost";
import type { ImageHeader } from "@faceline/images/header";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { Arrival, Arrivals } from "@faceline/simulation/arrivals";
import type { MeasuredCalls } from "./measured-calls.ts";

/**
 * Calls in the order of their arrival, without what they contained: when, whose (a number), for which lane,
 * how many images of which size, and until when. They lie in flat arrays of shared memory, 25 bytes a call
 * and 12 an image, so that several threads can read a million of them.
 */
export class Trace {
  readonly columns: TraceColumns;

  constructor(columns: TraceColumns) {
    this.columns = columns;
  }

  get calls(): number {
    return this.columns.atMs.length;
  }

  get images(): number {
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

  imagesOf(call: number): number {
    return this.#imageEnd(call) - this.columns.firstImage[call]!;
  }

  /** Bytes and pixels of an image of a call. */
  imageOf(call: number, index: number): ImageSize {
    const { firstImage, bytes, pixels } = this.columns;
    const image = firstImage[call]! + index;
    return { bytes: bytes[image]!, pixels: pixels[image]! };
  }

  /** Returns the calls from index `from` to below `until` as arrivals of a simulation, the first at 0 ms. */
  arrivals(from: number, until: number): Arrivals {
    const { atMs, tenant, lane, timeBudgetMs, firstImage, cost, lanes } = this.columns;
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
        const imageEnd = this.#imageEnd(call);
        for (let image = firstImage[call]!; image < imageEnd; image++) costs.push(cost[image]!);
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

  #imageEnd(call: number): number {
    return this.columns.firstImage[call + 1] ?? this.columns.cost.length;
  }
}

/**
 * Collects the calls of a trace in the columns of one: a million calls as objects would take 300 MiB. They
 * must come in the order of time.
 */
export class TraceBuilder {
  readonly #columns: TraceColumns;
  #calls = 0;
  #images = 0;

  /** `calls` and `images`: for how many there is room at first. */
  constructor({ calls = 1_024, images = 1_024 }: { calls?: number; images?: number } = {}) {
    const bytes = (count: number) => new SharedArrayBuffer(Math.max(8, count));
    this.#columns = {
      lanes: [],
      atMs: new Float64Array(bytes(8 * calls)),
      timeBudgetMs: new Float64Array(bytes(8 * calls)),
      tenant: new Uint32Array(bytes(4 * calls)),
      lane: new Uint8Array(bytes(calls)),
      firstImage: new Uint32Array(bytes(4 * calls)),
      cost: new Float32Array(bytes(4 * images)),
      bytes: new Uint32Array(bytes(4 * images)),
      pixels: new Uint32Array(bytes(4 * images)),
    };
  }

  get calls(): number {
    return this.#calls;
  }

  add({ atMs, tenant, lane, timeBudgetMs, images }: TraceCall): void {
    const columns = this.#columns;
    const call = this.#calls++;
    if (call === columns.atMs.length) lengthen(columns, callColumns);
    if (!columns.lanes.includes(lane)) columns.lanes.push(lane);
    columns.atMs[call] = atMs;
    columns.timeBudgetMs[call] = timeBudgetMs;
    columns.tenant[call] = tenant;
    columns.lane[call] = columns.lanes.indexOf(lane);
    columns.firstImage[call] = this.#images;
    for (const size of images) {
      const image = this.#images++;
      if (image === columns.cost.length) lengthen(columns, imageColumns);
      columns.cost[image] = costOf(size);
      columns.bytes[image] = size.bytes;
      columns.pixels[image] = size.pixels;
    }
  }

  build(measured?: MeasuredCalls): Trace {
    const columns: TraceColumns = { ...this.#columns, measured };
    for (const name of callColumns) columns[name] = columns[name].subarray(0, this.#calls) as never;
    for (const name of imageColumns) columns[name] = columns[name].subarray(0, this.#images) as never;
    return new Trace(columns);
  }
}

/** Doubles the room in these columns. Memory that nothing was written to takes no place. */
function lengthen(
  columns: TraceColumns,
  names: readonly (typeof callColumns | typeof imageColumns)[number][],
): void {
  for (const name of names) {
    const before = columns[name];
    const Column = before.constructor as new (buffer: SharedArrayBuffer) => typeof before;
    const longer = new Column(new SharedArrayBuffer(2 * before.byteLength));
    longer.set(before);
    columns[name] = longer as never;
  }
}

const callColumns = ["atMs", "timeBudgetMs", "tenant", "lane", "firstImage"] as const;
const imageColumns = ["cost", "bytes", "pixels"] as const;

/** Cost of decoding, as for a baseline JPEG, because a trace does not say how images were coded. */
function costOf({ bytes, pixels }: ImageSize): number {
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

export type ImageSize = { bytes: number; pixels: number };

type TraceCall = {
  /** Since the start of the trace. */
  atMs: number;
  tenant: number;
  lane: LaneId;
  timeBudgetMs: number;
  images: readonly ImageSize[];
};

/** Can be sent to another thread as it is. */
export type TraceColumns = {
  lanes: LaneId[];
  /** Undefined if the calls were drawn or come from an access log. */
  measured?: MeasuredCalls | undefined;
  atMs: Float64Array<SharedArrayBuffer>;
  timeBudgetMs: Float64Array<SharedArrayBuffer>;
  tenant: Uint32Array<SharedArrayBuffer>;
  /** Index in `lanes`. */
  lane: Uint8Array<SharedArrayBuffer>;
  /** Index of the first image of each call in `cost`. */
  firstImage: Uint32Array<SharedArrayBuffer>;
  /** Cost of decoding each image, see decodingCost. */
  cost: Float32Array<SharedArrayBuffer>;
  bytes: Uint32Array<SharedArrayBuffer>;
  pixels: Uint32Array<SharedArrayBuffer>;
};
