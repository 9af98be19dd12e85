import type { LaneProfile } from "@faceline/contracts/stored/profile";
import type { OtherWork } from "../observe/other-work.ts";
import type { Cpu } from "../observe/processes.ts";
import { table } from "../report.ts";
import { mean, sum } from "../statistics.ts";

/**
 * Returns the tables of replayed traces: predicted beside measured values, each the mean over the rounds, and
 * the errors of these means; then where they come from. `lane`: of the traces with one lane. `workers`: of
 * the service.
 */
export function predictionTables(
  traces: readonly ReplayedTrace[],
  lane: CalibratedLane,
  workers: number,
): string {
  const isNoisyIn = ({ rounds }: ReplayedTrace) => rounds.some(({ beside }) => isNoisy(beside));
  const measures = traces[0]!.rounds[0]!.compared;
  return [
    table(
      ["predicted / measured, error", ...measures.map(({ name, unit }) => `${name} ${units[unit]}`)],
      traces.map((trace) => [
        isNoisyIn(trace) ? `${trace.name} (NOISY)` : trace.name,
        ...measures.map((_, index) => comparedText(trace.rounds.map(({ compared }) => compared[index]!))),
      ]),
    ),
    "Means over the rounds. Errors of times and sizes in % of the measured value, of shares in points.",
    ...(traces.some(isNoisyIn) ? [noisySentence] : []),
    "The same errors by round:",
    table(
      ["", ...measures.map(({ name }) => name)],
      traces.map(({ name, rounds }) => [
        name,
        ...measures.map((_, index) => rounds.map(({ compared }) => errorText([compared[index]!])).join(", ")),
      ]),
    ),
    "Mean ms by stage, predicted / measured:",
    besideTable(traces, ({ stages }) => stages),
    "Mean ms of a run by the size of its batch, predicted / measured:",
    besideTable(traces, ({ meanRunMs }) => meanRunMs),
    "What else took the cores, and how runs went; the last column by round:",
    table(
      [
        "",
        "others, cores",
        "hypervisor, cores",
        "engine threads, cores",
        "a run / its CPU time",
        "CPU time of runs / alone",
      ],
      traces.map(({ name, rounds }) => [name, ...coreCells(rounds, lane, workers)]),
    ),
    "Cores that each process kept busy; everybody else is above all the client:",
    coresTable(traces),
  ].join("\n\n");
}

function comparedText(rounds: readonly Compared[]): string {
  const { unit } = rounds[0]!;
  const text = (value: number) =>
    unit === "share" ? (100 * value).toFixed(1) : value.toFixed(unit === "ms" ? 0 : 2);
  const { predicted, measured } = meansOf(rounds);
  return measured === undefined
    ? text(predicted)
    : `${text(predicted)} / ${text(measured)}, ${errorText(rounds)}`;
}

/** The error of the mean of rounds. */
function errorText(rounds: readonly Compared[]): string {
  const { predicted, measured } = meansOf(rounds);
  if (measured === undefined || (measured === 0 && rounds[0]!.unit !== "share")) return "–";
  const error = rounds[0]!.unit === "share" ? predicted - measured : predicted / measured - 1;
  return `${error < 0 ? "" : "+"}${(100 * error).toFixed(1)}`;
}

function meansOf(rounds: readonly Compared[]): { predicted: number; measured: number | undefined } {
  const measured = rounds.flatMap((each) => each.measured ?? []);
  return {
    predicted: mean(rounds.map(({ predicted }) => predicted)),
    measured: measured.length < rounds.length ? undefined : mean(measured),
  };
}

/** A row for each trace and a column for each value: the mean over the rounds that have it. */
function besideTable(traces: readonly ReplayedTrace[], valuesOf: (side: ReplaySide) => Values): string {
  const all = traces.flatMap(({ rounds }) =>
    rounds.flatMap(({ measured, predicted }) => [measured, predicted]),
  );
  const names = [...new Set(all.flatMap((side) => Object.keys(valuesOf(side))))];
  const cell = (sides: readonly ReplaySide[], name: string) => {
    const values = sides.flatMap((side) => valuesOf(side)[name] ?? []);
    return values.length === 0 ? "–" : mean(values).toFixed(1);
  };
  return table(
    ["", ...names],
    traces.map(({ name: trace, rounds }) => [
      trace,
      ...names.map((name) => {
        const of = (side: "predicted" | "measured") =>
          cell(
            rounds.map((round) => round[side]),
            name,
          );
        return `${of("predicted")} / ${of("measured")}`;
      }),
    ]),
  );
}

/** Means over the rounds. */
function coresTable(traces: readonly ReplayedTrace[]): string {
  const names = [
    ...new Set(traces.flatMap(({ rounds }) => rounds.flatMap(({ cpu }) => Object.keys(cpu ?? {})))),
  ];
  const cores = ({ cpu, measured }: ReplayRound, name: string) =>
    (1_000 * (cpu?.[name] ?? 0)) / measured.forMs;
  return table(
    ["", ...names],
    traces.map(({ name: trace, rounds }) => [
      trace,
      ...names.map((name) => mean(rounds.map((round) => cores(round, name))).toFixed(3)),
    ]),
  );
}

/** Times of runs beyond their CPU time are waits for a core, if the engine needs one. */
function coreCells(rounds: readonly ReplayRound[], lane: CalibratedLane, workers: number): string[] {
  const means = (of: (round: ReplayRound) => number | undefined) => {
    const values = rounds.flatMap((round) => of(round) ?? []);
    return values.length === 0 ? "–" : mean(values).toFixed(2);
  };
  const runSeconds = ({ measured: { utilisation = 0, forMs } }: ReplayRound) =>
    (utilisation * workers * forMs) / 1_000;
  const needsCores = (round: ReplayRound) => round.engines >= waitingShareMax * runSeconds(round);
  const paces = rounds.map(
    (round) => (needsCores(round) ? paceOf(round, lane)?.toFixed(3) : undefined) ?? "–",
  );
  return [
    means(({ beside }) => beside?.othersCores),
    means(({ beside }) => beside?.stolenCores),
    means(({ engines, measured }) => (1_000 * engines) / measured.forMs),
    means((round) => (needsCores(round) ? runSeconds(round) / round.engines : undefined)),
    paces.join(", "),
  ];
}

/**
 * How many times the CPU time the runs took that they take alone, as calibrated; undefined for several lanes,
 * whose runs are not counted apart.
 */
function paceOf({ engines, measured, traffic }: ReplayRound, lane: CalibratedLane): number | undefined {
  if (traffic.includes("--lane")) return undefined;
  const aloneMs = Object.entries(measured.runsBySize).map(([size, count]) => {
    const run = lane.runs.find((each) => each.size === Number(size));
    return run === undefined ? Number.NaN : count * lane.cpuShare * mean(run.ms);
  });
  return (1_000 * engines) / sum(aloneMs);
}

/** An engine whose threads have less of a run is modelled: it needs no core. */
const waitingShareMax = 0.05;

/** Above it other programs change the times of runs by more than they vary. */
const otherCoresMax = 0.1;

const isNoisy = (beside: OtherWork | undefined): boolean =>
  beside !== undefined && beside.othersCores + beside.stolenCores > otherCoresMax;

const noisySentence =
  `NOISY: in a round other programs and the hypervisor took more than ${otherCoresMax} cores. ` +
  "Such a row says nothing of a prediction; run it again on a quiet machine.";

const units = { ms: "ms", tasks: "", share: "%" };

type Compared = {
  name: string;
  unit: "ms" | "tasks" | "share";
  predicted: number;
  measured?: number;
};

type Values = Readonly<Record<string, number>>;

type ReplaySide = { stages: Values; meanRunMs: Values };

/** What `plan replay --json` writes. */
export type ReplayJson = {
  compared: Compared[];
  predicted: ReplaySide;
  measured: ReplaySide & {
    outcomes: Record<string, number>;
    runsBySize: Readonly<Record<number, number>>;
    utilisation?: number;
    forMs: number;
  };
};

export type ReplayRound = ReplayJson & {
  traffic: string[];
  text: string;
  /** What took the cores meanwhile that was not this. */
  beside: OtherWork | undefined;
  /** CPU time of the engines' threads, in seconds. */
  engines: number;
  cpu: Cpu;
};

type CalibratedLane = Pick<LaneProfile, "cpuShare" | "runs">;

export type ReplayedTrace = { name: string; rounds: ReplayRound[] };
