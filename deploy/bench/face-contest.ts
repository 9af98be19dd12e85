import type { Cpu } from "./cpu.ts";
import type { LeftOut } from "./face-contenders.ts";
import { betterPeers, coreMs, type FaceCase, type FaceFigures, ratios, total } from "./face-figures.ts";
import { table } from "./figures.ts";
import { cpuTable } from "./processes.ts";
import { tallyText } from "./verdicts.ts";

/** What the part `faces` prints: first of all where a peer is better. */
export function faceTables(contest: FaceContest): string {
  const { cases, figures, ours, pairs, leftOut, about } = contest;
  const better = betterPeers(figures, ours);
  const ratio = ratios(figures, ours);
  const peersMeasured = figures.some(({ server }) => server !== ours);
  return [
    ...(peersMeasured
      ? [
          better.length === 0
            ? "A peer is better in nothing that is measured here."
            : `A peer is better in ${better.join("; ")}.`,
        ]
      : []),
    ...(ratio === undefined
      ? []
      : [
          `Beside the best peer: ${ratio.busyPerSecond.toFixed(2)} times as many calls/s at 8 in flight; p50 of a lonely call ${ratio.aloneP50.toFixed(2)} times as long.`,
        ]),
    ...leftOut.map(({ server, why }) => `Left out: ${server}: ${why}`),
    ...about,
    table(
      head(pairs),
      figures.map((each) => row(each, pairs)),
    ),
    "Cores in use at 8 in flight, by process:",
    cpuTable(
      figures.map(({ server }) => {
        const loops = cases.filter((each) => each.server === server).map(({ busy }) => busy);
        const cpu = sum(loops.map((loop) => loop.cpu));
        return {
          name: server,
          cpu: cpu === null ? null : byKind(cpu),
          tookMs: loops.reduce((all, { tookMs }) => all + tookMs, 0),
        };
      }),
    ),
    "MiB in memory after the load (what the processes of a group share counts for each):",
    memoryTable(cases, figures),
  ].join("\n\n");
}

const head = (pairs: number): string[] => [
  "server",
  "1 in flight: p50 / p99 ms",
  "calls",
  "8 in flight: calls/s",
  "p50 / p99 ms",
  "calls",
  "failed",
  "ms of a core a call",
  "MiB",
  pairs === 0 ? "right, cosine" : `right of ${pairs}, cosine`,
  "Euclidean",
];

function row({ server, alone, busy, mib, verdicts }: FaceFigures, pairs: number): string[] {
  const told = (tally: FaceFigures["verdicts"]["cosine"]) =>
    tally === undefined || tally.asked === 0 ? "–" : tallyText(tally, pairs);
  return [
    server,
    `${whole(alone.p50)} / ${whole(alone.p99)}`,
    `${alone.answered}`,
    busy.perSecond.toFixed(1),
    `${whole(busy.p50)} / ${whole(busy.p99)}`,
    `${busy.answered}`,
    `${alone.failed + busy.failed}`,
    whole(coreMs(busy)),
    whole(mib),
    told(verdicts.cosine),
    told(verdicts.euclidean),
  ];
}

function memoryTable(cases: FaceCase[], figures: FaceFigures[]): string {
  const rows = figures.map(({ server }) => {
    // The last round's: a process that grows has grown most by then.
    const last = cases.findLast((each) => each.server === server)?.mib ?? {};
    return { server, mib: byKind(last) };
  });
  const kinds = [...new Set(rows.flatMap(({ mib }) => Object.keys(mib)))];
  if (kinds.length === 0) return "Memory is only told on Linux.";
  return table(
    ["", ...kinds, "all"],
    rows.map(({ server, mib }) => [
      server,
      ...kinds.map((kind) => whole(mib[kind] ?? null)),
      whole(total(mib)),
    ]),
  );
}

/** Processes of the same kind together: whose they are is the question, not which of them. */
export function byKind(values: Record<string, number>): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const [name, value] of Object.entries(values)) {
    const kind = kindOf(name);
    kinds[kind] = (kinds[kind] ?? 0) + value;
  }
  return kinds;
}

function kindOf(name: string): string {
  if (name === "kafka") return "broker";
  if (name.startsWith("redis-")) return "both Redis";
  return /^(ingress|batcher|inference)-\d+$/.test(name) ? "services" : name;
}

function sum(all: Cpu[]): Cpu {
  const used: Record<string, number> = {};
  for (const cpu of all) {
    if (cpu === null) return null;
    for (const [name, seconds] of Object.entries(cpu)) used[name] = (used[name] ?? 0) + seconds;
  }
  return used;
}

const whole = (value: number | null): string => (value === null ? "–" : value.toFixed(0));

export type FaceContest = {
  cases: FaceCase[];
  figures: FaceFigures[];
  /** Which of the servers is not a peer. */
  ours: string;
  /** Labelled ones, all of them. */
  pairs: number;
  leftOut: LeftOut[];
  /** Lines about the machine and the pictures. */
  about: string[];
};
