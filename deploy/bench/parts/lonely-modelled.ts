import type { Bench, Measured } from "../bench.ts";
import { readServerTiming } from "../caller.ts";
import type { Lonely } from "../closed-loop.ts";
import { median, quantile, table } from "../figures.ts";
import { openLoad } from "../load.ts";
import { heavy, tiny } from "../pictures.ts";
import { openStack } from "../stack.ts";

const runMs = 5;

/** What the way adds to one lonely call whose run is a wait of 5 ms, and where. Nothing is decoded. */
export async function lonelyModelled(bench: Bench): Promise<Measured> {
  const plan = {
    engine: `model:${runMs}+0b`,
    warmUps: bench.quick ? 50 : 200,
    calls: bench.quick ? 150 : 1_000,
  };
  await using stack = await openStack(bench, { ENGINE: plan.engine });
  await using load = await openLoad(bench.stop);
  const results: Case[] = [];
  for (const [name, picture] of [
    ["tiny", await tiny()],
    ["heavy", await heavy()],
  ] as const) {
    const target = stack.target("/represent", [{ img: picture.toString("base64") }]);
    const calls = await bench.steps.run(`one at a time, ${name}`, () => load.lonely({ ...plan, target }));
    const failed = calls.filter(({ ended }) => ended !== 200);
    if (failed.length > 0)
      throw new Error(`${failed.length} lonely calls failed, one with ${failed[0]!.ended}`);
    results.push({ picture: `${name}, ${picture.length} bytes`, calls });
  }
  return { plan, results, tables: table(head, results.map(row)) };
}

const head = [
  "picture",
  "added p50 / p99 ms",
  "to the batch",
  "to the run",
  "the run, beside its wait",
  "HTTP and the way back",
];

function row({ picture, calls }: Case): string[] {
  const added = calls.map(({ tookMs }) => tookMs - runMs);
  const stages = calls.map(({ tookMs, serverTiming = "" }) => ({
    tookMs,
    ...readServerTiming(serverTiming),
  }));
  const of = (part: (stage: (typeof stages)[number]) => number) => ms(median(stages.map(part)));
  return [
    picture,
    `${ms(median(added))} / ${ms(quantile(added, 0.99))}`,
    of(({ queueMs }) => queueMs),
    of(({ batchMs }) => batchMs),
    of(({ inferMs }) => inferMs - runMs),
    of(({ tookMs, queueMs, batchMs, inferMs }) => tookMs - queueMs - batchMs - inferMs),
  ];
}

const ms = (value: number): string => value.toFixed(1);

type Case = { picture: string; calls: Lonely[] };
