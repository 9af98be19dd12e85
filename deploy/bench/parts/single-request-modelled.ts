import type { ClosedLoopCall } from "../load/closed-loop.ts";
import { openGenerator } from "../load/generator.ts";
import { readServerTiming } from "../load/http-client.ts";
import { type Bench, openStack, type PartResult } from "../part.ts";
import { heavyJpeg, tinyJpeg } from "../pictures.ts";
import { table } from "../report.ts";
import { median, quantile } from "../statistics.ts";

const runMs = 5;

/** What the hops add to a single request whose run is a wait of 5 ms, and where. Nothing is decoded. */
export async function singleRequestModelled(bench: Bench): Promise<PartResult> {
  const plan = {
    engine: `model:${runMs}+0b`,
    warmUps: bench.quick ? 50 : 200,
    calls: bench.quick ? 150 : 1_000,
  };
  await using stack = await openStack(bench, { ENGINE: plan.engine });
  await using generator = await openGenerator(bench.stop);
  const results: Case[] = [];
  for (const [name, picture] of [
    ["tiny", await tinyJpeg()],
    ["heavy", await heavyJpeg()],
  ] as const) {
    const target = stack.target("/represent", [{ img: picture.toString("base64") }]);
    const { calls } = await bench.steps.run(`one at a time, ${name}`, () =>
      generator.closedLoop({
        target,
        inFlight: 1,
        warmUp: { calls: plan.warmUps },
        counted: { calls: plan.calls },
        giveUpMs: 30_000,
      }),
    );
    const failed = calls.filter(({ status }) => status !== 200);
    if (failed.length > 0) throw new Error(`${failed.length} calls failed, one with ${failed[0]!.status}`);
    results.push({ picture: `${name}, ${picture.length} bytes`, calls });
  }
  return { plan, results, tables: table(head, results.map(row)) };
}

const head = [
  "picture",
  "added p50 / p99 ms",
  "to the batch",
  "to the run",
  "the run, beyond its wait",
  "HTTP and the way back",
];

function row({ picture, calls }: Case): string[] {
  const added = calls.map(({ tookMs }) => tookMs - runMs);
  const stages = calls.map(({ tookMs, serverTiming }) => ({ tookMs, ...readServerTiming(serverTiming) }));
  const medianOf = (part: (stage: (typeof stages)[number]) => number) => ms(median(stages.map(part)));
  return [
    picture,
    `${ms(median(added))} / ${ms(quantile(added, 0.99))}`,
    medianOf(({ queueMs }) => queueMs),
    medianOf(({ batchMs }) => batchMs),
    medianOf(({ inferMs }) => inferMs - runMs),
    medianOf(({ tookMs, queueMs, batchMs, inferMs }) => tookMs - queueMs - batchMs - inferMs),
  ];
}

const ms = (value: number): string => value.toFixed(1);

type Case = { picture: string; calls: ClosedLoopCall[] };
