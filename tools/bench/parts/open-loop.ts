import { quantile } from "@faceline/contracts/testing/quantile";
import { findVenv } from "@faceline/testing/venv";
import { tinyJpeg } from "../images.ts";
import { type Generator, generatorName, openGenerator } from "../load/generator.ts";
import { type OpenLoopCall, type Quantiles, type Summary, summarise } from "../load/open-loop.ts";
import { type Cpu, measureCpu, sumCpu } from "../observe/processes.ts";
import type { Bench, PartResult } from "../part.ts";
import { peersVenv, type System, systems } from "../peers/modelled/systems.ts";
import { cpuTable, table } from "../report.ts";
import { sum } from "../statistics.ts";

/**
 * Calls that arrive whether or not the server keeps up (an open loop), below and above what the engine can
 * run. Faceline and its peers take turns with the same calls at the same instants, and each round begins with
 * another one.
 */
export async function openLoopPart(bench: Bench): Promise<PartResult> {
  const { quick, steps, say } = bench;
  const plan = {
    ...engine,
    deadlineMs: 300,
    giveUpMs: 3_000,
    ratesPerSecond: [250, 290, 350],
    repeats: quick ? 1 : 2,
    warmUpMs: quick ? 100 : 5_000,
    countedMs: quick ? 100 : 25_000,
  };
  const body = { img: (await tinyJpeg()).toString("base64") };
  const installed = findVenv(peersVenv(bench.folder));
  if (installed === undefined) {
    say(
      "The peers are not installed and left out: `npm run bench -- --setup` installs them (Python 3.10 or newer).",
    );
  }
  const all = systems(bench, installed, { ...plan, body });
  await using generator = await openGenerator(bench.stop);
  const results: OpenLoopCase[] = [];
  const rounds = Array.from({ length: plan.repeats }, (_, repeat) =>
    plan.ratesPerSecond.map((perSecond) => ({ perSecond, repeat })),
  ).flat();
  for (const [round, { perSecond, repeat }] of rounds.entries()) {
    const first = round % all.length;
    for (const system of [...all.slice(first), ...all.slice(0, first)]) {
      const result = await steps.run(
        `${perSecond}/s ${system.name}, ${repeat + 1} of ${plan.repeats}`.padEnd(36),
        async (note) => {
          const result = await measure(system, generator, { ...plan, perSecond, repeat });
          note(`${(100 * result.summary.inTime).toFixed(1)}% in time`);
          return result;
        },
      );
      results.push(result);
      await bench.save({ plan, results });
    }
  }
  return {
    plan: { ...plan, body, peers: installed?.versions ?? null },
    results,
    tables: tablesOf(results, plan.deadlineMs),
  };
}

/** The capacity is that of one worker with one full batch after another. */
const engine = { engine: "model:40+2b", batchMax: 32, capacityPerSecond: (32 * 1_000) / (40 + 2 * 32) };

async function measure(system: System, generator: Generator, plan: CasePlan): Promise<OpenLoopCase> {
  const { perSecond, repeat, warmUpMs, countedMs, giveUpMs, deadlineMs } = plan;
  await using open = await system.open();
  const leaders = { ...open.leaders, [generatorName]: generator.pid };
  const traffic = { seed: 1_000 * repeat + perSecond, perSecond, forMs: warmUpMs + countedMs };
  let warmAt = performance.now();
  let cpuUsed = measureCpu(leaders);
  const calls = await generator.openLoop({ target: open.target, traffic, warmUpMs, giveUpMs }, () => {
    warmAt = performance.now();
    cpuUsed = measureCpu(leaders);
  });
  return {
    server: system.name,
    perSecond,
    repeat,
    summary: summarise(calls, deadlineMs),
    sentAfterP99Ms: quantile(
      calls.map(({ sentAfterMs }) => sentAfterMs),
      0.99,
    ),
    cpu: cpuUsed(),
    tookMs: performance.now() - warmAt,
    calls,
  };
}

/** Puts the repeats of a server and rate together, in the order in which they came first. */
function poolRepeats(cases: readonly OpenLoopCase[]): PooledCase[] {
  const groups = Map.groupBy(cases, ({ server, perSecond }) => `${perSecond}/s, ${server}`);
  const rates = [...new Set(cases.map(({ perSecond }) => perSecond))];
  const servers = [...new Set(cases.map(({ server }) => server))];
  return rates.flatMap((perSecond) =>
    servers.map((server) => {
      const repeats = groups.get(`${perSecond}/s, ${server}`) ?? [];
      return { server, perSecond, repeats, calls: repeats.flatMap(({ calls }) => calls) };
    }),
  );
}

function tablesOf(cases: OpenLoopCase[], deadlineMs: number): string {
  const pooled = poolRepeats(cases);
  return [
    table(
      head,
      pooled.map((each) => row(each, deadlineMs)),
    ),
    "Cores in use, by process:",
    cpuTable(
      pooled.map(({ server, perSecond, repeats }) => ({
        name: `${perSecond}/s, ${server}`,
        cpu: sumCpu(repeats.map(({ cpu }) => cpu)),
        tookMs: sum(repeats.map(({ tookMs }) => tookMs)),
      })),
    ),
  ].join("\n\n");
}

const head = [
  "requests/s",
  "server",
  "in time %",
  "repeats",
  "late %",
  "refused %",
  "failed %",
  "answered p50 / p99 / p99.9 ms",
  "refused p50 / p99 ms",
  "sent late p99 ms",
];

function row({ server, perSecond, repeats, calls }: PooledCase, deadlineMs: number): string[] {
  const summary = summarise(calls, deadlineMs);
  const shares = repeats.map((repeat) => repeat.summary.inTime);
  return [
    `${perSecond}`,
    server,
    percent(summary.inTime),
    `${percent(Math.min(...shares))} to ${percent(Math.max(...shares))}`,
    percent(summary.late),
    percent(summary.refused),
    percent(summary.failed),
    quantiles(summary.answeredMs, ["p50", "p99", "p999"]),
    quantiles(summary.refusedMs, ["p50", "p99"]),
    Math.max(...repeats.map(({ sentAfterP99Ms }) => sentAfterP99Ms)).toFixed(1),
  ];
}

const percent = (share: number): string => (100 * share).toFixed(2);

const quantiles = (values: Quantiles | null, which: (keyof Quantiles)[]): string =>
  values === null ? "–" : which.map((each) => values[each].toFixed(0)).join(" / ");

type CasePlan = Record<"perSecond" | "repeat" | "warmUpMs" | "countedMs" | "giveUpMs" | "deadlineMs", number>;

/** One server at one rate, once. */
type OpenLoopCase = {
  server: string;
  perSecond: number;
  repeat: number;
  summary: Summary;
  /** How late the generator itself sent: this much of the latencies is its own. */
  sentAfterP99Ms: number;
  /** CPU time from the end of the warm-up to the last answer. */
  cpu: Cpu;
  tookMs: number;
  calls: OpenLoopCall[];
};

type PooledCase = {
  server: string;
  perSecond: number;
  repeats: OpenLoopCase[];
  calls: OpenLoopCall[];
};
