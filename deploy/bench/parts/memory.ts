import { processMemory, processMemoryIsReadable } from "../../testing/process-memory.ts";
import { closedLoop, countByStatus } from "../load/closed-loop.ts";
import { type Bench, leadersOf, openStack, type PartResult } from "../part.ts";
import { mixedPictures, mixture } from "../pictures.ts";
import { table } from "../report.ts";
import { mean, median, sum } from "../statistics.ts";

/**
 * Resident memory of every process while thousands of mixed pictures are served, and whether it grows with
 * them.
 */
export async function memory(bench: Bench): Promise<PartResult> {
  const { quick, steps, stop } = bench;
  const count = quick ? 1_000 : 10_000;
  const plan = { count, inFlight: 4, warmUp: count / 10, countedFrom: count / 5, mixture };
  if (!processMemoryIsReadable) return { plan, results: null, tables: "Memory is measured on Linux only." };

  const { pictures, order } = await steps.run("pictures", () => mixedPictures(count));
  await using stack = await openStack(bench);
  const detectors = ["ssd", "tiny"];
  const bodies = pictures.flatMap((picture) => {
    const img = picture.toString("base64");
    return detectors.map((detector_backend) => ({ img, detector_backend }));
  });
  let served = 0;
  const sampler = new MemorySampler(
    () => leadersOf(bench),
    () => served,
  );
  const { calls, tookMs } = await steps.run(`${count} pictures`, async (note) => {
    using _sampling = sampler;
    // In this process: samples need to know how many pictures were served.
    const result = await closedLoop(
      {
        target: stack.target("/represent", bodies),
        inFlight: plan.inFlight,
        warmUp: { calls: 0 },
        counted: { calls: count },
        giveUpMs: 30_000,
        // Every fourth call is for the small detector.
        order: order.map((picture, i) => detectors.length * picture + (i % 4 === 3 ? 1 : 0)),
      },
      {
        ended() {
          stop.throwIfAborted();
          served++;
        },
      },
    );
    note(`${((1_000 * count) / result.tookMs).toFixed(1)} a second`);
    return result;
  });
  const statuses = countByStatus(calls);
  const results = { tookMs, statuses, samples: sampler.byName };
  return { plan, results, tables: tablesOf(sampler, statuses, plan) };
}

/** Samples the resident memory of processes every second until it is disposed. Linux only. */
class MemorySampler implements Disposable {
  readonly byName: Record<string, MemorySample[]> = {};
  readonly #timer: NodeJS.Timeout;
  readonly #sample: () => void;

  /** `served` returns how many pictures were served so far. */
  constructor(leaders: () => Record<string, number>, served: () => number) {
    this.#sample = () => {
      const all = Object.entries(leaders()).map(([name, pid]) => [name, processMemory(pid).nowMib] as const);
      const services = all.filter(([name]) => /-\d+$/.test(name));
      const totals = [
        [allServices, sum(services.map(([, mib]) => mib))],
        [wholeStack, sum(all.map(([, mib]) => mib))],
      ] as const;
      for (const [name, mib] of [...all, ...totals]) {
        (this.byName[name] ??= []).push({ served: served(), mib });
      }
    };
    this.#sample();
    this.#timer = setInterval(this.#sample, everyMs);
  }

  /** Returns MiB of the last sample at or before that many pictures. */
  at(name: string, served: number): number {
    return this.byName[name]!.findLast((each) => each.served <= served)!.mib;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#sample();
  }
}

const everyMs = 1_000;
/** Ingress, batcher and worker together. Memory that they share, like the code of Node, counts for each. */
const allServices = "the services";
/** With the broker and both Redis servers. */
const wholeStack = "whole stack";

function tablesOf(
  sampler: MemorySampler,
  statuses: Record<string, number>,
  { count, warmUp, countedFrom }: Plan,
): string {
  const processes = Object.keys(sampler.byName).filter((name) => name !== allServices && name !== wholeStack);
  const names = [...processes, allServices, wholeStack];
  const rows = Array.from({ length: count / warmUp + 1 }, (_, i) => {
    const served = i * warmUp;
    return [`${served}`, ...names.map((name) => sampler.at(name, served).toFixed(0))];
  });
  const signed = (value: number, digits: number) => `${value < 0 ? "" : "+"}${value.toFixed(digits)}`;
  const growthRows = names.map((name) => {
    const samples = sampler.byName[name]!;
    const { mibPerThousand, growth, flat } = memoryGrowth(samples, { from: countedFrom, to: count });
    return [
      name,
      Math.max(...samples.map(({ mib }) => mib)).toFixed(0),
      signed(mibPerThousand, 2),
      signed(100 * growth, 1),
      flat ? "flat" : "not flat",
    ];
  });
  const half = (count + countedFrom) / 2;
  return [
    "Resident MiB after that many pictures:",
    table(["pictures", ...names], rows),
    `From ${countedFrom} to ${count} pictures. Growth: the median from ${half} on over the median before; flat is up to ${100 * growthMax} %:`,
    table(["", "max MiB", "MiB per 1,000 pictures", "growth %", ""], growthRows),
    `Calls by status: ${Object.entries(statuses)
      .map(([status, calls]) => `${calls} × ${status}`)
      .join(", ")}.`,
  ].join("\n\n");
}

/**
 * Whether memory grows with the number of pictures served, over a range of them. `growth` is the share by
 * which the median of the second half exceeds that of the first: medians, because garbage collection moves
 * memory up and down.
 *
 * The bound of 5 % is some 15 MiB of a worker. Over the thousands of pictures between the two halves that is
 * 4 KiB for each, less than the bytes of any of them and a thirtieth of its pixels: a buffer that is not
 * freed shows.
 */
export function memoryGrowth(samples: readonly MemorySample[], range: { from: number; to: number }): Growth {
  const middle = (range.from + range.to) / 2;
  const counted = samples.filter(({ served }) => served >= range.from && served <= range.to);
  const [before, after] = [
    counted.filter(({ served }) => served < middle),
    counted.filter(({ served }) => served >= middle),
  ].map((half) => (half.length === 0 ? Number.NaN : median(half.map(({ mib }) => mib))));
  const growth = after! / before! - 1;
  return { mibPerThousand: 1_000 * slopeOf(counted), growth, flat: growth <= growthMax };
}

const growthMax = 0.05;

/** Slope of the least-squares line, in MiB a picture. */
function slopeOf(samples: readonly MemorySample[]): number {
  const servedMean = mean(samples.map(({ served }) => served));
  const mibMean = mean(samples.map(({ mib }) => mib));
  let covariance = 0;
  let variance = 0;
  for (const { served, mib } of samples) {
    covariance += (served - servedMean) * (mib - mibMean);
    variance += (served - servedMean) ** 2;
  }
  return covariance / variance;
}

type Plan = { count: number; warmUp: number; countedFrom: number };
type Growth = { mibPerThousand: number; growth: number; flat: boolean };

/** Resident memory when that many pictures had been served. */
export type MemorySample = { served: number; mib: number };
