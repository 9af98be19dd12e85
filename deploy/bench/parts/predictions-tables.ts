import type { OtherWork } from "../observe/other-work.ts";
import type { Cpu } from "../observe/processes.ts";
import { table } from "../report.ts";
import { mean, sum } from "../statistics.ts";

/**
 * Returns the tables of replayed traces: predicted beside measured values, each the mean over the rounds, and
 * the errors of these means; the same with what is predicted for the pace that the machine had; then where
 * the errors come from.
 */
export function predictionTables(traces: readonly ReplayedTrace[]): string {
  const withPace = traces.filter(({ rounds }) => rounds.every(({ comparedAtPace }) => comparedAtPace));
  return [
    comparedTable(traces, ({ compared }) => compared),
    "Means over the rounds. Errors of times and sizes in % of the measured value, of shares in points.",
    ...(traces.some(isNoisyIn) ? [noisySentence] : []),
    "The same errors by round:",
    errorsTable(traces, ({ compared }) => compared),
    ...(withPace.length > 0
      ? [
          "At its pace: predicted with all CPU times as many times as long as the runs of each round took:",
          comparedTable(withPace, ({ comparedAtPace }) => comparedAtPace!),
          "These errors by round:",
          errorsTable(withPace, ({ comparedAtPace }) => comparedAtPace!),
        ]
      : []),
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
        "runs, cores",
        "a run / its CPU time",
        "its CPU time / predicted",
      ],
      traces.map(({ name, rounds }) => [name, ...coreCells(rounds)]),
    ),
    "Cores that each process kept busy; everybody else is above all the client:",
    coresTable(traces),
  ].join("\n\n");
}

const isNoisyIn = ({ rounds }: ReplayedTrace): boolean => rounds.some(({ beside }) => isNoisy(beside));

type ComparedOf = (round: ReplayRound) => readonly Compared[];

function comparedTable(traces: readonly ReplayedTrace[], comparedOf: ComparedOf): string {
  const measures = comparedOf(traces[0]!.rounds[0]!);
  return table(
    ["predicted / measured, error", ...measures.map(({ name, unit }) => `${name} ${units[unit]}`)],
    traces.map((trace) => [
      isNoisyIn(trace) ? `${trace.name} (NOISY)` : trace.name,
      ...measures.map((_, index) => comparedText(trace.rounds.map((round) => comparedOf(round)[index]!))),
    ]),
  );
}

function errorsTable(traces: readonly ReplayedTrace[], comparedOf: ComparedOf): string {
  const measures = comparedOf(traces[0]!.rounds[0]!);
  return table(
    ["", ...measures.map(({ name }) => name)],
    traces.map(({ name, rounds }) => [
      name,
      ...measures.map((_, index) => rounds.map((round) => errorText([comparedOf(round)[index]!])).join(", ")),
    ]),
  );
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
function coreCells(rounds: readonly ReplayRound[]): string[] {
  const means = (of: (round: ReplayRound) => number | undefined) => {
    const values = rounds.flatMap((round) => of(round) ?? []);
    return values.length === 0 ? "–" : mean(values).toFixed(2);
  };
  const engineMs = ({ measured: { runs } }: ReplayRound) => {
    const times = runs.flatMap(({ cpuMs }) => cpuMs ?? []);
    return times.length < runs.length ? undefined : sum(times);
  };
  const runMs = ({ measured: { runs } }: ReplayRound) => sum(runs.map(({ ms }) => ms));
  return [
    means(({ beside }) => beside?.othersCores),
    means(({ beside }) => beside?.stolenCores),
    means((round) => ratio(engineMs(round), round.measured.forMs)),
    means((round) => (round.atPace === undefined ? undefined : ratio(runMs(round), engineMs(round)))),
    rounds.map(({ atPace }) => atPace?.pace.toFixed(3) ?? "–").join(", "),
  ];
}

const ratio = (part: number | undefined, whole: number | undefined): number | undefined =>
  part === undefined || whole === undefined ? undefined : part / whole;

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
  /** Undefined where the engine does not compute on the cores, or workers do not say its CPU time. */
  atPace?: { pace: number };
  comparedAtPace?: Compared[];
  predicted: ReplaySide;
  measured: ReplaySide & {
    outcomes: Record<string, number>;
    /** `cpuMs`: of the engine. */
    runs: readonly { ms: number; cpuMs?: number }[];
    forMs: number;
  };
};

export type ReplayRound = ReplayJson & {
  traffic: string[];
  text: string;
  /** What took the cores meanwhile that was not this. */
  beside: OtherWork | undefined;
  cpu: Cpu;
};

export type ReplayedTrace = { name: string; rounds: ReplayRound[] };
