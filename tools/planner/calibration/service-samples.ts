import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { LaneId } from "@faceline/contracts/wire/ids";
import { type TimingPart, timingPartsIn } from "../replay/replayed-calls.ts";
import type { RunCounts } from "../replay/run-counts.ts";
import { ServiceClient } from "../replay/service-client.ts";
import type { ServiceCounts } from "../replay/service-counters.ts";

/**
 * Measures a running service that does nothing else: single calls, one after another, for the times of an
 * idle service; then as many as keep it busy, for the CPU time that calls take around the engine.
 */
export async function sampleService(plan: ServicePlan): Promise<ServiceSamples> {
  const { url, forMs, idleCores, watch, progress } = plan;
  using client = new ServiceClient(url, plan.inFlight);
  const pair = [plan.picture, plan.picture];
  const usual = { lane: plan.lane, pictures: pair };
  await warmUp(async () => {
    const calls = await closedLoop(client, plan, { ...usual, inFlight: plan.inFlight, forMs });
    return calls.length;
  }, progress);
  progress("service: single calls");
  const countedSingle = await watch();
  const single = await closedLoop(client, plan, { ...usual, inFlight: 1, forMs });
  const { runs: singleRuns } = await countedSingle();
  const loads: LoadSample[] = [];
  // Not one picture: /represent looks for every face, which takes a run of its own length.
  const kinds = [
    ...[pair, [...pair, ...pair], [plan.largePicture, plan.largePicture]].map((pictures) => ({
      lane: plan.lane,
      pictures,
    })),
    ...plan.otherLanes.map((lane) => ({ lane, pictures: pair })),
  ];
  for (const [index, { lane, pictures }] of kinds.entries()) {
    progress(`service: load ${index + 1} of ${kinds.length}`);
    const counted = await watch();
    const busy = busyTime();
    const [calls, middle] = await Promise.all([
      closedLoop(client, plan, { lane, pictures, inFlight: plan.inFlight, forMs }),
      countMiddle(watch, forMs),
    ]);
    const { cores, ownMs, tookMs } = busy();
    const bytes = pictures.reduce((sum, each) => sum + bytesOf(each), 0);
    loads.push({
      lane,
      pictures: pictures.length,
      bytes,
      pixels: plan.pixels,
      calls: calls.length,
      tookMs,
      busyMs: Math.max(0, cores - idleCores) * tookMs,
      ownMs,
      busyCores: cores + ownMs / tookMs,
      counts: await counted(),
      middle,
    });
  }
  return { single, singleRuns, loads };
}

/** Returns how many cores the machine uses while no call comes. */
export async function idleCores(forMs: number): Promise<number> {
  const busy = busyTime();
  await sleep(forMs);
  return busy().cores;
}

/**
 * Runs rounds until two in a row answer hardly more calls than the best before them. The machine code of the
 * services and of Kafka is made while they run: right after their start a call takes more CPU time than some
 * minutes later.
 */
export async function warmUp(round: () => Promise<number>, progress: (line: string) => void): Promise<void> {
  let best = 0;
  let withoutGain = 0;
  for (let count = 1; count <= warmUpRoundsMax && withoutGain < 2; count++) {
    progress(`service: warm-up, round ${count} of at most ${warmUpRoundsMax}`);
    const calls = await round();
    withoutGain = calls > warmUpGain * best ? 0 : withoutGain + 1;
    best = Math.max(best, calls);
  }
}

async function closedLoop(client: ServiceClient, plan: ServicePlan, load: Load): Promise<CallTimes[]> {
  const { lane } = load;
  const { key } = plan;
  const calls: CallTimes[] = [];
  const endAt = performance.now() + load.forMs;
  const caller = async () => {
    while (performance.now() < endAt) {
      const startedAt = performance.now();
      const call = { lane, pictures: load.pictures, key, deadlineMs: 30_000 };
      const { status, error, serverTiming } = await client.call(call);
      if (status !== 200) throw new Error(refusedText(plan.url, status, error));
      calls.push({ tookMs: performance.now() - startedAt, parts: timingPartsIn(serverTiming) });
    }
  };
  await Promise.all(Array.from({ length: load.inFlight }, caller));
  return calls;
}

/** Counts a load of `forMs` that begins now, without its first and its last part. */
async function countMiddle(watch: ServicePlan["watch"], forMs: number): Promise<ServiceCounts> {
  await sleep(edgeShare * forMs);
  const counted = await watch();
  await sleep((1 - 2 * edgeShare) * forMs);
  return counted();
}

function refusedText(url: string, status: number | undefined, error: string | undefined): string {
  const how = [status ?? "no answer", ...(error === undefined ? [] : [error])].join(" ");
  const why =
    status === 503
      ? `The service refuses the load of its own calibration: a call to ${url} ended with ${how}. It is slower than ` +
        "the profile says, because other work runs beside it. Stop that, or run this again."
      : `A call to ${url} ended with ${how}. Give a key whose team has no limits.`;
  return `${why} Nothing was written.`;
}

/** Begins to measure how busy the machine is. `cores`: all of it but this process, whose time is `ownMs`. */
function busyTime(): () => { cores: number; ownMs: number; tookMs: number } {
  const read = () => ({
    at: performance.now(),
    busy: cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0),
    own: process.cpuUsage(),
  });
  const before = read();
  return () => {
    const { at, busy, own } = read();
    const ownMs = (own.user + own.system - before.own.user - before.own.system) / 1_000;
    const tookMs = at - before.at;
    return { cores: Math.max(0, busy - before.busy - ownMs) / tookMs, ownMs, tookMs };
  };
}

/** The share of a load at either end that is not counted, because workers have rest there. */
const edgeShare = 0.1;

const warmUpRoundsMax = 12;
/** A round that answers more calls than this many times the best one was still part of the warm-up. */
const warmUpGain = 1.03;

const bytesOf = (base64: Uint8Array): number => (base64.length * 3) / 4;

type Load = { lane: LaneId; pictures: readonly Uint8Array[]; inFlight: number; forMs: number };

type ServicePlan = {
  url: string;
  key: string;
  lane: LaneId;
  /** Each of them gets a load of its own, for the CPU time of its runs. */
  otherLanes: readonly LaneId[];
  /** JPEGs in Base64; the large one has the same pixels. */
  picture: Uint8Array;
  largePicture: Uint8Array;
  /** Of either. */
  pixels: number;
  /** Calls in flight that keep the service busy. */
  inFlight: number;
  /** What the machine uses without calls; it is not counted for them. */
  idleCores: number;
  /** For each measurement. */
  forMs: number;
  /** Begins to count what the service does. */
  watch(): Promise<() => Promise<ServiceCounts>>;
  progress(line: string): void;
};

export type CallTimes = { tookMs: number; parts: Partial<Record<TimingPart, number>> };

/** Calls that kept the service busy. Without the CPU time that it takes when idle. */
export type LoadSample = {
  lane: LaneId;
  /** Of each call, and the bytes of all of them. */
  pictures: number;
  bytes: number;
  /** Of each picture. */
  pixels: number;
  calls: number;
  tookMs: number;
  /** CPU time of the machine but for this process. */
  busyMs: number;
  /** CPU time of this process, the client. */
  ownMs: number;
  /** Cores that were busy on average, with this process. */
  busyCores: number;
  counts: ServiceCounts;
  /** The same without the beginning and the end of the load, where workers have rest. */
  middle: ServiceCounts;
};

export type ServiceSamples = {
  single: CallTimes[];
  /** Runs of the single calls. */
  singleRuns: readonly RunCounts[];
  loads: LoadSample[];
};
