import { sumCpu } from "../observe/processes.ts";
import type { LeftOut } from "../peers/faces/systems.ts";
import { cpuTable, table } from "../report.ts";
import { type RatioEstimate, sum } from "../statistics.ts";
import {
  betterPeers,
  cpuMsOfCall,
  type FaceCase,
  type FaceSummary,
  type PeerRatio,
  ratiosToPeers,
  type VerdictTally,
} from "./faces-summary.ts";

/** Tables of the part `faces`. Rows in which a peer is better come first. */
export function facesTables(report: FacesReport): string {
  const { cases, summaries, own, pairs, leftOut, remarks } = report;
  const ratios = ratiosToPeers(cases, own);
  return [
    ...(summaries.some(({ server }) => server !== own) ? [betterPeersText(summaries, own)] : []),
    ...leftOut.map(({ server, why }) => `Left out: ${server}: ${why}`),
    ...remarks,
    table(
      head(pairs),
      summaries.map((each) => row(each, pairs)),
    ),
    ...(ratios.length === 0
      ? []
      : [`${own} as a multiple of each peer, with 95% intervals:`, ratiosTable(ratios)]),
    "Cores in use at 8 in flight, by process:",
    cpuTable(
      summaries.map(({ server }) => {
        const loops = cases.filter((each) => each.server === server).map(({ busy }) => busy);
        const cpu = sumCpu(loops.map((loop) => loop.cpu));
        return {
          name: server,
          cpu: cpu === null ? null : byKind(cpu),
          tookMs: sum(loops.map(({ tookMs }) => tookMs)),
        };
      }),
    ),
    "Resident MiB after the load (memory that processes of a group share counts for each):",
    memoryTable(cases, summaries),
  ].join("\n\n");
}

function betterPeersText(summaries: readonly FaceSummary[], own: string): string {
  const better = betterPeers(summaries, own);
  return better.length === 0
    ? "A peer is better in nothing that is measured here."
    : `A peer is better in ${better.join("; ")}.`;
}

function ratiosTable(ratios: readonly PeerRatio[]): string {
  const rows = [...Map.groupBy(ratios, ({ server }) => server)];
  const columns = [...new Set(ratios.map(({ what }) => what))];
  return table(
    ["peer", ...columns],
    rows.map(([server, ofServer]) => [
      server,
      ...columns.map((what) => {
        const found = ofServer.find((each) => each.what === what);
        return found === undefined ? "–" : ratioText(found);
      }),
    ]),
  );
}

/** An interval that holds 1 shows no difference. */
export const ratioText = ({ ratio, low, high }: RatioEstimate): string =>
  low <= 1 && high >= 1
    ? `no difference shown (${low.toFixed(2)} to ${high.toFixed(2)})`
    : `${ratio.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;

const head = (pairs: number): string[] => [
  "server",
  "1 in flight: p50 / p99 ms",
  "requests",
  "8 in flight: requests/s",
  "p50 / p99 ms",
  "requests",
  "failed",
  "CPU ms per request",
  "MiB",
  pairs === 0 ? "right, cosine" : `right of ${pairs}, cosine`,
  "Euclidean",
];

function row({ server, single, busy, mib, verdicts }: FaceSummary, pairs: number): string[] {
  const cell = (tally: VerdictTally | undefined) =>
    tally === undefined || tally.requested === 0 ? "–" : tallyText(tally, pairs);
  return [
    server,
    `${whole(single.p50)} / ${whole(single.p99)}`,
    `${single.answered}`,
    busy.perSecond.toFixed(1),
    `${whole(busy.p50)} / ${whole(busy.p99)}`,
    `${busy.answered}`,
    `${single.failed + busy.failed}`,
    whole(cpuMsOfCall(busy)),
    whole(mib),
    cell(verdicts.cosine),
    cell(verdicts.euclidean),
  ];
}

/** Returns `260 at 0.07, 14 without a verdict`, with the number of pairs where not all were requested. */
export function tallyText({ requested, right, unanswered, threshold }: VerdictTally, pairs: number): string {
  const of = requested === pairs ? "" : ` of ${requested} requested`;
  const at = threshold === null ? "" : ` at ${threshold}`;
  return `${right}${of}${at}${unanswered === 0 ? "" : `, ${unanswered} without a verdict`}`;
}

function memoryTable(cases: readonly FaceCase[], summaries: readonly FaceSummary[]): string {
  const rows = summaries.map(({ server }) => {
    // Of the last round: a process that grows is largest then.
    const last = cases.findLast((each) => each.server === server)?.mib ?? {};
    return { server, mib: byKind(last) };
  });
  const kinds = [...new Set(rows.flatMap(({ mib }) => Object.keys(mib)))];
  if (kinds.length === 0) return "Memory is measured on Linux only.";
  return table(
    ["", ...kinds, "all"],
    rows.map(({ server, mib }) => [
      server,
      ...kinds.map((kind) => whole(mib[kind] ?? null)),
      whole(sum(Object.values(mib))),
    ]),
  );
}

/** Adds up the values of processes of one kind: all services, both Redis servers. */
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

const whole = (value: number | null): string => (value === null ? "–" : value.toFixed(0));

type FacesReport = {
  cases: readonly FaceCase[];
  summaries: readonly FaceSummary[];
  /** The name of the server that is not a peer. */
  own: string;
  /** Labelled ones, all of them. */
  pairs: number;
  leftOut: readonly LeftOut[];
  /** Lines about the machine and the images. */
  remarks: readonly string[];
};
