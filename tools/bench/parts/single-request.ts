import { median, quantile } from "@faceline/contracts/testing/quantile";
import { heavyJpeg, tinyJpeg } from "../images.ts";
import { assertAnswered, type ClosedLoopCall } from "../load/closed-loop.ts";
import { openGenerator } from "../load/generator.ts";
import { readServerTiming } from "../load/http-client.ts";
import { type Bench, openStack, type PartResult } from "../part.ts";
import { table } from "../report.ts";

/** Measures what the hops add to a single request, and where: a run is a wait, and nothing is decoded. */
export async function singleRequest(bench: Bench): Promise<PartResult> {
  const plan = {
    engine: `model:${runMs}+0b`,
    warmUps: bench.quick ? 1 : 200,
    calls: bench.quick ? 2 : 1_000,
  };
  await using stack = await openStack(bench, { ENGINE: plan.engine });
  await using generator = await openGenerator(bench.stop);
  const results: Result[] = [];
  for (const [name, image] of [
    ["tiny", await tinyJpeg()],
    ["heavy", await heavyJpeg()],
  ] as const) {
    const target = stack.target("/represent", [{ img: image.toString("base64") }]);
    const { calls } = await bench.steps.run(`one at a time, ${name}`, () =>
      generator.closedLoop({
        target,
        inFlight: 1,
        warmUp: { calls: plan.warmUps },
        counted: { calls: plan.calls },
        giveUpMs: 30_000,
      }),
    );
    assertAnswered(calls, "/represent");
    results.push({ image: `${name}, ${image.length} bytes`, calls });
    await bench.save({ plan, results });
  }
  const head = [
    "image",
    "added p50 / p99 ms",
    "to the batch",
    "to the run",
    "the run, beyond its wait",
    "HTTP and the way back",
  ];
  return { plan, results, tables: table(head, results.map(row)) };
}

const runMs = 5;

function row({ image, calls }: Result): string[] {
  const added = calls.map(({ tookMs }) => tookMs - runMs);
  const served = calls.map(({ tookMs, serverTiming }) => ({ tookMs, ...readServerTiming(serverTiming) }));
  const medianOf = (part: (call: (typeof served)[number]) => number) => ms(median(served.map(part)));
  return [
    image,
    `${ms(median(added))} / ${ms(quantile(added, 0.99))}`,
    medianOf(({ queueMs }) => queueMs),
    medianOf(({ batchMs }) => batchMs),
    medianOf(({ inferMs }) => inferMs - runMs),
    medianOf(({ tookMs, queueMs, batchMs, inferMs }) => tookMs - queueMs - batchMs - inferMs),
  ];
}

const ms = (value: number): string => value.toFixed(1);

type Result = { image: string; calls: ClosedLoopCall[] };
