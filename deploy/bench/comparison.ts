import type { Bare, BareCall } from "./bare.ts";
import type { Caller, ServedCall } from "./caller.ts";
import { median, quantile, table } from "./figures.ts";

/** Takes the service and the bare engine in turn, call by call and round by round: both see the same noise. */
export async function compare(service: Caller, bare: Bare, plan: Plan): Promise<Omit<Comparison, "lane">> {
  const { rounds, callsOfRound, inFlight, warmUps } = plan;
  for (let index = 0; index < warmUps; index++) {
    await service.call(index);
    await bare.call(index);
  }
  const seen: Omit<Comparison, "lane"> = { served: [], bare: [], servedLoop: [], bareLoop: [] };
  for (let round = 0; round < rounds; round++) {
    for (let index = 0; index < callsOfRound; index++) {
      seen.served.push(await service.call(index));
      seen.bare.push(await bare.call(index));
    }
    seen.servedLoop.push((await service.flood(callsOfRound, inFlight)) / callsOfRound);
    seen.bareLoop.push((await bare.loop(callsOfRound)) / callsOfRound);
  }
  return seen;
}

export function tables(comparisons: Comparison[]): string {
  return [
    table(
      [
        "lane",
        "bare p50 / p99 ms",
        "served p50 / p99 ms",
        "added p50 ms",
        "added p99 ms",
        "bare pictures/s",
        "served pictures/s",
        "served / bare",
      ],
      comparisons.map(overall),
    ),
    "where the added milliseconds go, medians:",
    table(
      [
        "lane",
        "to the batch",
        "to the run, decode apart",
        "the run, beside the bare one",
        "HTTP and the way back",
      ],
      comparisons.map(stages),
    ),
  ].join("\n\n");
}

/** What is added at p50 is the median of the differences between neighbours: one call served, and the same one bare. */
function overall({ lane, served, bare, servedLoop, bareLoop }: Comparison): string[] {
  const took = { served: served.map((each) => each.tookMs), bare: bare.map((each) => each.tookMs) };
  const added = took.served.map((each, index) => each - took.bare[index]!);
  const kept = servedLoop.map((each, round) => bareLoop[round]! / each);
  return [
    lane,
    `${ms(median(took.bare))} / ${ms(quantile(took.bare, 0.99))}`,
    `${ms(median(took.served))} / ${ms(quantile(took.served, 0.99))}`,
    ms(median(added)),
    ms(quantile(took.served, 0.99) - quantile(took.bare, 0.99)),
    ms(1_000 / median(bareLoop)),
    ms(1_000 / median(servedLoop)),
    `${median(kept).toFixed(2)} (${Math.min(...kept).toFixed(2)} to ${Math.max(...kept).toFixed(2)})`,
  ];
}

function stages({ lane, served, bare }: Comparison): string[] {
  const between = (part: (served: ServedCall, bare: BareCall) => number) =>
    ms(median(served.map((each, index) => part(each, bare[index]!))));
  return [
    lane,
    between((each) => each.queueMs),
    between((each, { decodeMs }) => each.batchMs - decodeMs),
    between((each, { tookMs, decodeMs }) => each.inferMs - (tookMs - decodeMs)),
    between(({ tookMs, queueMs, batchMs, inferMs }) => tookMs - queueMs - batchMs - inferMs),
  ];
}

const ms = (value: number): string => value.toFixed(1);

export type Plan = { rounds: number; callsOfRound: number; inFlight: number; warmUps: number };

export type Comparison = {
  lane: string;
  served: ServedCall[];
  bare: BareCall[];
  /** Milliseconds a picture, of each round. */
  servedLoop: number[];
  bareLoop: number[];
};
