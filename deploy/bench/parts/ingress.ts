import { type Alone, openAlone } from "../alone.ts";
import { mulberry32 } from "../arrivals.ts";
import type { Bench, Measured } from "../bench.ts";
import type { Flood } from "../closed-loop.ts";
import { type Cpu, measureCpu } from "../cpu.ts";
import { median, quantile, table } from "../figures.ts";
import { type Load, openLoad } from "../load.ts";
import { pingsDuring } from "../pings.ts";
import { cpuTable } from "../processes.ts";

/**
 * The HTTP side of the ingress alone, beside a bare Fastify that parses the same JSON and answers {}: how many large
 * comparisons it takes, and how long somebody else waits while it takes them. The two take turns.
 */
export async function ingress(bench: Bench): Promise<Measured> {
  const { quick, key, steps } = bench;
  const plan = {
    vectorLength: 512,
    inFlight: 8,
    candidates: 1_000,
    /** Some 8 MiB of JSON. */
    sentCandidates: 800,
    senders: 4,
    pingEveryMs: 20,
    rounds: quick ? 1 : 5,
    warmUpMs: quick ? 1_000 : 3_000,
    countedMs: quick ? 3_000 : 10_000,
  };
  await using served = await openAlone("ingress", key, `${plan.vectorLength}`);
  await using bare = await openAlone("bare");
  await using load = await openLoad(bench.stop);
  const servers = [
    { server: "ingress", alone: served },
    { server: "bare Fastify", alone: bare },
  ];
  const sent = comparison(plan.vectorLength, plan.sentCandidates);
  const bodies = {
    compared: comparison(plan.vectorLength, plan.candidates),
    sent,
    // Whole up to its last byte, so that all of it is read before it is refused.
    broken: sent.slice(0, -1),
  };
  const results: Round[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    for (const { server, alone } of round % 2 === 0 ? servers : servers.toReversed()) {
      const name = `${server}, ${round + 1} of ${plan.rounds}`;
      const measures = await steps.run(name, () => measure({ alone, load, key, bodies, ...plan }));
      results.push({ server, round, ...measures });
    }
  }
  const bytes = Object.entries(bodies).map(([name, body]) => [name, body.length]);
  return { plan: { ...plan, bytes: Object.fromEntries(bytes) }, results, tables: tables(results) };
}

/** The numbers are as long as an embedding's are in JSON. */
function comparison(vectorLength: number, candidates: number): string {
  const next = mulberry32(vectorLength);
  const vector = () => Array.from({ length: vectorLength }, () => Math.fround(next() - 0.5));
  return JSON.stringify({ vector: vector(), candidates: Array.from({ length: candidates }, vector) });
}

async function measure(options: Measuring): Promise<Measures> {
  const { alone, load, key, bodies, warmUpMs, countedMs, inFlight, senders, pingEveryMs } = options;
  const post = (body: string, inFlight: number, forMs: number) =>
    load.closed({
      target: { url: `${alone.address}/compare`, headers: { "x-api-key": key }, bodies: [body] },
      inFlight,
      forMs,
    });
  const waits = (work: Promise<Flood>) => pingsDuring(`${alone.address}/health`, pingEveryMs, work);

  await post(bodies.compared, inFlight, warmUpMs);
  const used = measureCpu({ server: alone.pid, "load generator": load.pid });
  const flood = await post(bodies.compared, inFlight, countedMs);
  const cpu = used();
  const sentMs = await waits(post(bodies.sent, senders, countedMs));
  const brokenMs = await waits(post(bodies.broken, senders, countedMs));
  return { flood, cpu, waitsMs: { sent: sentMs, broken: brokenMs } };
}

function tables(results: Round[]): string {
  const servers = [...new Set(results.map(({ server }) => server))];
  const rows = servers.map((server) => {
    const rounds = results.filter((each) => each.server === server);
    const rates = rounds.map(({ flood }) => ((flood.ends["200"] ?? 0) * 1_000) / flood.tookMs);
    const waits = (which: keyof Measures["waitsMs"]) => {
      const all = rounds.flatMap(({ waitsMs }) => waitsMs[which]);
      return `${quantile(all, 0.5).toFixed(0)} / ${quantile(all, 0.99).toFixed(0)}`;
    };
    const spread = `${Math.min(...rates).toFixed(1)} to ${Math.max(...rates).toFixed(1)}`;
    return [server, `${median(rates).toFixed(1)} (${spread})`, waits("sent"), waits("broken")];
  });
  return [
    table(["server", "comparisons/s", "/health p50 / p99 ms beside 8 MiB", "and beside broken ones"], rows),
    "Cores in use by process, while it compares:",
    cpuTable(
      results.map(({ server, round, cpu, flood }) => ({
        name: `${server}, ${round + 1}`,
        cpu,
        tookMs: flood.tookMs,
      })),
    ),
  ].join("\n\n");
}

type Bodies = Record<"compared" | "sent" | "broken", string>;
type Measuring = {
  alone: Alone;
  load: Load;
  key: string;
  bodies: Bodies;
  inFlight: number;
  senders: number;
  pingEveryMs: number;
  warmUpMs: number;
  countedMs: number;
};
type Measures = { flood: Flood; cpu: Cpu; waitsMs: Record<"sent" | "broken", number[]> };
type Round = Measures & { server: string; round: number };
