import { LaneId } from "@faceline/contracts/wire/ids";
import { type DrawnTraffic, drawTraffic, trafficShapes } from "./drawn-traffic.ts";
import type { Trace } from "./trace.ts";
import { readTrace } from "./trace-file.ts";

/** Options of the commands that need traffic: recorded or drawn. */
export const trafficOptions = {
  trace: { type: "string" },
  draw: { type: "string", default: "poisson" },
  rate: { type: "string", default: "20" },
  seconds: { type: "string", default: "600" },
  tenants: { type: "string", default: "5" },
  images: { type: "string", default: "2" },
  "image-bytes": { type: "string", default: "40000" },
  "image-pixels": { type: "string", default: "327680" },
  deadline: { type: "string", default: "30000" },
  "burst-factor": { type: "string", default: "5" },
  lane: { type: "string" },
  seed: { type: "string", default: "1" },
} as const;

export const trafficUsage = `  --trace FILE         recorded traffic; or synthetic traffic:
  --draw SHAPE         poisson, bursts, diurnal or step
    --rate N           requests per second, across all tenants  [20]
    --seconds N        length of the trace  [600]
    --tenants N        callers with the same rate each  [5]
    --images N         of a request  [2]
    --image-bytes N, --image-pixels N  [40000, 327680: the sample images]
    --deadline MS      of a request  [30000]
    --burst-factor N   rate of bursts as a multiple of the base rate  [5]
    --lane LIST        models and detectors, with equal shares of the requests  [the first of the profile]
    --seed N           seed of the synthetic traffic  [1]`;

/** Returns the traffic that the options name. Throws an Error with a sentence for the operator. */
export async function trafficOf(values: TrafficValues, laneDefault: LaneId): Promise<Trace> {
  if (values.trace !== undefined) return readTrace(values.trace);
  return drawTraffic({
    shape: shapeOf(values.draw),
    seed: Number(values.seed),
    perSecond: positive(values.rate, "--rate"),
    seconds: positive(values.seconds, "--seconds"),
    tenants: positive(values.tenants, "--tenants"),
    lanes: (values.lane ?? laneDefault).split(",").map((lane) => LaneId.parse(lane.trim())),
    images: positive(values.images, "--images"),
    imageSize: {
      bytes: positive(values["image-bytes"], "--image-bytes"),
      pixels: positive(values["image-pixels"], "--image-pixels"),
    },
    deadlineMs: positive(values.deadline, "--deadline"),
    factor: positive(values["burst-factor"], "--burst-factor"),
  });
}

/** Parses `--draw`. */
export function shapeOf(text: string): DrawnTraffic["shape"] {
  const shape = trafficShapes.find((each) => each === text);
  if (shape === undefined) throw new Error(`--draw ${text}: it must be one of ${trafficShapes.join(", ")}.`);
  return shape;
}

/** Parses a number above 0. `name` stands in the error. */
export function positive(text: string, name: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`${name} must be a number above 0.`);
  return number;
}

type TrafficValues = Record<Exclude<keyof typeof trafficOptions, "trace" | "lane">, string> & {
  trace?: string | undefined;
  lane?: string | undefined;
};
