import type { SpanRound, SpanRoundCosts } from "@faceline/contracts/testing/span-rounds";
import { IpcChild } from "../observe/ipc-child.ts";
import type { Part } from "../part.ts";
import { table } from "../report.ts";
import { inRandomOrder, median, mulberry32, sum } from "../statistics.ts";
import { openReceivers } from "../telemetry/receivers.ts";

/**
 * What the spans of a /verify cost: CPU time of a process that makes them as ingress, batcher or worker does,
 * and sends them through the SDK to a receiver in another process. Nothing else runs in it. So small changes
 * show here that are lost in the noise of the whole stack.
 */
export const telemetrySpans: Part = async (bench) => {
  const plan = { rounds: bench.quick ? 3 : 20, batches: bench.quick ? 20 : 40, seed: 1 };
  await using receivers = await openReceivers();
  const random = mulberry32(plan.seed);
  const results: Results = {};
  for (const [service, file] of Object.entries(programs)) {
    await bench.steps.run(service, async (note) => {
      const env = {
        OTEL_EXPORTER_OTLP_ENDPOINT: receivers.addresses.present,
        // Spans of a round must not be sent in the next one.
        OTEL_BSP_SCHEDULE_DELAY: "100",
      };
      await using child = new IpcChild(`the spans of ${service}`, file, [], { env, stop: bench.stop });
      await child.receive();
      const measure = async (mode: Mode): Promise<SpanRoundCosts> => {
        const round: SpanRound = { mode, batches: plan.batches };
        const costs = (await child.request(round)) as SpanRoundCosts;
        if (costs.lostSpans > 0) throw new Error(`${service} lost ${costs.lostSpans} spans`);
        return costs;
      };
      for (const mode of modes) await measure(mode);
      const rounds: Record<Mode, SpanRoundCosts>[] = [];
      for (let number = 0; number < plan.rounds; number++) {
        const round: Partial<Record<Mode, SpanRoundCosts>> = {};
        for (const mode of inRandomOrder(modes, random)) round[mode] = await measure(mode);
        rounds.push(round as Record<Mode, SpanRoundCosts>);
      }
      results[service] = rounds;
      note(modes.map((mode) => middle(rounds, mode).toFixed(0)).join(" "));
    });
  }
  return { plan, results, tables: spansTable(results) };
};

/** Medians of the differences within a round, so that they add up only nearly. */
function spansTable(results: Results): string {
  const costs = Object.entries(results).map(([service, rounds]) => ({
    service,
    spans: rounds[0]!.sent.spans,
    making: middleDifference(rounds, "made", "unsampled"),
    sending: middleDifference(rounds, "sent", "made"),
    both: middleDifference(rounds, "sent", "unsampled"),
  }));
  const total = (of: "spans" | "making" | "sending" | "both") => sum(costs.map((each) => each[of]));
  const row = (name: string, numbers: number[]) => [name, ...numbers.map((each) => each.toFixed(1))];
  return [
    "The spans of a /verify of two images, 16 calls a batch, real stages; CPU us a call, medians of paired differences:",
    table(
      ["service", "spans a call", "making them", "sending them", "both"],
      [
        ...costs.map((each) => row(each.service, [each.spans, each.making, each.sending, each.both])),
        row("together", [total("spans"), total("making"), total("sending"), total("both")]),
      ],
    ),
    `${Object.values(results)[0]!.length} rounds of each of the three ways, in random order.`,
  ].join("\n\n");
}

const middle = (rounds: Rounds, mode: Mode): number => median(rounds.map((round) => round[mode].cpuUs));

const middleDifference = (rounds: Rounds, more: Mode, less: Mode): number =>
  median(rounds.map((round) => round[more].cpuUs - round[less].cpuUs));

const modes = ["unsampled", "made", "sent"] as const;
type Mode = (typeof modes)[number];

const programs = {
  ingress: "ingress/bench/spans.bench.ts",
  batcher: "batcher/simulation/spans.bench.ts",
  inference: "inference/spans.bench.ts",
};

type Rounds = readonly Record<Mode, SpanRoundCosts>[];
type Results = Record<string, Rounds>;
