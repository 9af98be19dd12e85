import type { Lonely } from "./closed-loop.ts";
import { type Cpu, everybodyElse } from "./cpu.ts";
import type { Metric } from "./face-peers.ts";
import { quantile } from "./figures.ts";
import type { Tally } from "./verdicts.ts";

/** The rounds of each server together, in the order in which they came first. */
export function faceFigures(cases: FaceCase[], verdicts: FaceVerdicts[]): FaceFigures[] {
  const groups = Map.groupBy(cases, ({ server }) => server);
  return [...groups].map(([server, rounds]) => ({
    server,
    alone: pool(rounds.map(({ alone }) => alone)),
    busy: pool(rounds.map(({ busy }) => busy)),
    mib: mean(rounds.map(({ mib }) => (mib === null ? null : total(mib)))),
    verdicts: Object.fromEntries(
      verdicts.filter((each) => each.server === server).map(({ metric, tally }) => [metric, tally]),
    ),
  }));
}

function pool(loops: FaceLoop[]): LoopFigures {
  const calls = loops.flatMap((loop) => loop.calls);
  const answered = calls.filter(({ ended }) => ended === 200).map(({ tookMs }) => tookMs);
  const tookMs = loops.reduce((sum, loop) => sum + loop.tookMs, 0);
  const coreSeconds = mean(loops.map(({ cpu }) => usedBy(cpu)));
  return {
    answered: answered.length,
    failed: calls.length - answered.length,
    perSecond: (answered.length * 1_000) / tookMs,
    p50: answered.length === 0 ? null : quantile(answered, 0.5),
    p99: answered.length === 0 ? null : quantile(answered, 0.99),
    cores: coreSeconds === null ? null : (coreSeconds * loops.length * 1_000) / tookMs,
  };
}

/** Seconds that the server itself used, all its processes together. */
function usedBy(cpu: Cpu): number | null {
  if (cpu === null) return null;
  const { [everybodyElse]: _others, [generator]: _ours, ...own } = cpu;
  return total(own);
}

/** What the load generator goes by among the processes. */
export const generator = "load generator";

/** In what a peer is better, and by how much: first and foremost, because whoever reads wants to know. */
export function betterPeers(all: FaceFigures[], ours: string): string[] {
  const own = all.find(({ server }) => server === ours);
  if (own === undefined) return [];
  return measures.flatMap(({ what, of, sign, digits }) => {
    const here = of(own);
    const [best] = all
      .filter(({ server }) => server !== ours)
      .map((each) => ({ server: each.server, value: of(each) }))
      .filter((each): each is { server: string; value: number } => each.value !== null)
      .toSorted((a, b) => sign * (b.value - a.value));
    if (here === null || best === undefined || sign * (best.value - here) <= 0) return [];
    return [`${what} (${best.server} ${best.value.toFixed(digits)}, here ${here.toFixed(digits)})`];
  });
}

/** How much more than the best peer is answered under load, and how long one lonely call takes beside the soonest one. */
export function ratios(all: FaceFigures[], ours: string): Ratios | undefined {
  const own = all.find(({ server }) => server === ours);
  const peers = all.filter(({ server }) => server !== ours);
  if (own === undefined || own.alone.p50 === null) return undefined;
  const perSecond = Math.max(...peers.map(({ busy }) => busy.perSecond));
  const p50 = Math.min(...peers.map(({ alone }) => alone.p50 ?? Number.POSITIVE_INFINITY));
  if (!(perSecond > 0 && Number.isFinite(p50))) return undefined;
  return { busyPerSecond: own.busy.perSecond / perSecond, aloneP50: own.alone.p50 / p50 };
}

const right =
  (metric: Metric) =>
  ({ verdicts }: FaceFigures): number | null => {
    const tally = verdicts[metric];
    return tally === undefined || tally.asked === 0 ? null : (100 * tally.right) / tally.asked;
  };

/** `sign`: 1 where more is better. */
const measures: Measure[] = [
  { what: "calls/s, 8 in flight", of: ({ busy }) => busy.perSecond, sign: 1, digits: 1 },
  { what: "p50 ms, 8 in flight", of: ({ busy }) => busy.p50, sign: -1, digits: 0 },
  { what: "p99 ms, 8 in flight", of: ({ busy }) => busy.p99, sign: -1, digits: 0 },
  { what: "p50 ms, 1 in flight", of: ({ alone }) => alone.p50, sign: -1, digits: 0 },
  { what: "p99 ms, 1 in flight", of: ({ alone }) => alone.p99, sign: -1, digits: 0 },
  { what: "ms of a core a call, 8 in flight", of: ({ busy }) => coreMs(busy), sign: -1, digits: 0 },
  { what: "MiB in memory", of: ({ mib }) => mib, sign: -1, digits: 0 },
  { what: "% right, cosine", of: right("cosine"), sign: 1, digits: 1 },
  { what: "% right, Euclidean", of: right("euclidean"), sign: 1, digits: 1 },
];

export const coreMs = ({ cores, perSecond }: LoopFigures): number | null =>
  cores === null || perSecond === 0 ? null : (cores * 1_000) / perSecond;

export const total = (values: Record<string, number>): number =>
  Object.values(values).reduce((sum, each) => sum + each, 0);

function mean(values: (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0) / known.length;
}

type Measure = {
  what: string;
  of(figures: FaceFigures): number | null;
  sign: 1 | -1;
  digits: number;
};

/** One server with so many calls in flight, once; `tookMs` is the counted time. */
export type FaceLoop = { calls: Lonely[]; tookMs: number; cpu: Cpu };

/** `mib`: of its processes, after the load. */
export type FaceCase = {
  server: string;
  round: number;
  busy: FaceLoop;
  alone: FaceLoop;
  mib: Record<string, number> | null;
};

export type FaceVerdicts = { server: string; metric: Metric; tally: Tally };

export type LoopFigures = {
  answered: number;
  failed: number;
  perSecond: number;
  p50: number | null;
  p99: number | null;
  /** That it kept busy; null where the system does not tell. */
  cores: number | null;
};

export type FaceFigures = {
  server: string;
  alone: LoopFigures;
  busy: LoopFigures;
  mib: number | null;
  verdicts: Partial<Record<Metric, Tally>>;
};

export type Ratios = { busyPerSecond: number; aloneP50: number };
