import type { Cpu } from "./cpu.ts";
import { table } from "./figures.ts";
import { type Quantiles, type Seen, type Summary, summarise } from "./outcomes.ts";
import { cpuTable } from "./processes.ts";

/** The repeats of a server and rate together, in the order in which they came first. */
export function pooled(cases: Case[]): Pooled[] {
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

export function contestTables(cases: Case[], deadlineMs: number): string {
  const groups = pooled(cases);
  return [
    table(
      head,
      groups.map((group) => row(group, deadlineMs)),
    ),
    "Cores in use, by process:",
    cpuTable(
      groups.map(({ server, perSecond, repeats }) => ({
        name: `${perSecond}/s, ${server}`,
        cpu: sum(repeats.map(({ cpu }) => cpu)),
        tookMs: repeats.reduce((sum, { tookMs }) => sum + tookMs, 0),
      })),
    ),
  ].join("\n\n");
}

const head = [
  "calls/s",
  "server",
  "in time %",
  "repeats",
  "late %",
  "refused %",
  "failed %",
  "answered p50 / p99 / p99.9 ms",
  "refused p50 / p99 ms",
  "mean batch",
  "sent late p99 ms",
];

function row({ server, perSecond, repeats, calls }: Pooled, deadlineMs: number): string[] {
  const summary = summarise(calls, deadlineMs);
  const shares = repeats.map((repeat) => repeat.summary.inTime);
  const batches = repeats.map(({ meanBatch }) => meanBatch).filter((mean) => mean !== null);
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
    batches.length === 0 ? "–" : (batches.reduce((sum, mean) => sum + mean, 0) / batches.length).toFixed(1),
    Math.max(...repeats.map(({ sentAfterP99Ms }) => sentAfterP99Ms)).toFixed(1),
  ];
}

const percent = (share: number): string => (100 * share).toFixed(2);

const quantiles = (values: Quantiles | null, which: (keyof Quantiles)[]): string =>
  values === null ? "–" : which.map((each) => values[each].toFixed(0)).join(" / ");

function sum(all: Cpu[]): Cpu {
  const total: Record<string, number> = {};
  for (const cpu of all) {
    if (cpu === null) return null;
    for (const [name, seconds] of Object.entries(cpu)) total[name] = (total[name] ?? 0) + seconds;
  }
  return total;
}

/** One server at one rate, once. */
export type Case = {
  server: string;
  perSecond: number;
  repeat: number;
  summary: Summary;
  meanBatch: number | null;
  /** How late the generator itself sent: what of the latencies is its own. */
  sentAfterP99Ms: number;
  /** From the end of the warm-up to the last answer. */
  cpu: Cpu;
  tookMs: number;
  calls: Seen[];
};

export type Pooled = { server: string; perSecond: number; repeats: Case[]; calls: Seen[] };
