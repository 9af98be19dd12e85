import { sumCpu } from "../observe/processes.ts";
import type { LeftOut } from "../peers/faces/systems.ts";
import { cpuTable, table } from "../report.ts";
import { type RatioEstimate, sum } from "../statistics.ts";
import {
  cpuMsOfCall,
  type FaceCase,
  type FaceSummary,
  type PeerRatio,
  ratiosToPeers,
  type VerdictTally,
} from "./faces-summary.ts";

export function facesTables(report: FacesReport): string {
  const { cases, summaries, own, pairs, leftOut, remarks } = report;
  const ratios = ratiosToPeers(cases, own);
  return [
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
        return { name: server, cpu, tookMs: sum(loops.map(({ tookMs }) => tookMs)) };
      }),
    ),
    `CPU ms of a request of ${own}, 8 in flight, by thread:`,
    threadsTable(cases.filter(({ server }) => server === own)),
    "MiB after the load: resident, and with memory that processes share counted once:",
    memoryTable(cases, summaries),
  ].join("\n\n");
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
  // Of the last round: a process that grows is largest then.
  const rows = summaries.map(({ server }) => cases.findLast((each) => each.server === server)!);
  const names = [...new Set(rows.flatMap(({ mib }) => Object.keys(mib ?? {})))];
  if (names.length === 0) return "Memory is measured on Linux only.";
  return table(
    ["", ...names, "all"],
    rows.map(({ server, mib, pssMib }) => [
      server,
      ...names.map((name) => (mib?.[name] === undefined ? "–" : both(mib[name], pssMib?.[name] ?? 0))),
      both(sum(Object.values(mib ?? {})), sum(Object.values(pssMib ?? {}))),
    ]),
  );
}

const both = (rss: number, pss: number): string => `${whole(rss)} / ${whole(pss)}`;

/** CPU ms of a request, by kind of thread. A process that is not split counts with all its threads. */
export function threadsTable(cases: readonly FaceCase[]): string {
  const seconds = sumCpu(cases.map(({ busy }) => busy.threads));
  if (seconds === null) return "CPU time is measured on Linux only.";
  const requests = sum(cases.map(({ busy }) => busy.calls.length));
  const kinds = new Map<string, number>(threadKinds.map(([kind]) => [kind, 0]));
  for (const [name, each] of Object.entries(seconds)) {
    const kind = threadKinds.find(([, pattern]) => pattern.test(name))?.[0];
    if (kind !== undefined) kinds.set(kind, kinds.get(kind)! + (1_000 * each) / requests);
  }
  return table(
    [...kinds.keys(), "sum"],
    [[...kinds.values(), sum(kinds.values())].map((ms) => ms.toFixed(1))],
  );
}

const threadKinds: readonly [string, RegExp][] = [
  ["engine", /^inference-\d+ engine$/],
  ["decoding", /^inference-\d+ libuv-worker$/],
  ["worker's main thread and GC", /^inference-/],
  ["ingress", /^ingress-/],
  ["batcher", /^batcher-/],
  ["broker", /^kafka /],
  ["Redis", /^redis-/],
];

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
