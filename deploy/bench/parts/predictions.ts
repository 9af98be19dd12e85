import { mkdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { capture } from "../../launcher/capture.ts";
import { repository } from "../../launcher/state-folder.ts";
import { type OtherWork, watchOtherWork } from "../observe/other-work.ts";
import { threadSeconds } from "../observe/processes.ts";
import { type Bench, leadersOf, openStack, type Part, type PartResult } from "../part.ts";
import { table } from "../report.ts";
import { sum } from "../statistics.ts";

/** How far the predictions of `npm run plan` are off with real models. */
export const predictions: Part = (bench) =>
  comparePredictions(bench, {
    name: "real models",
    workers: availableParallelism(),
    batchMax: 4,
    calibrate: [],
    settings: {},
  });

/** The same with an engine that only waits: what is left is the scheduler and the path around the engine. */
export const predictionsModelled: Part = (bench) =>
  comparePredictions(bench, {
    name: "modelled engine",
    workers: 1,
    batchMax: 8,
    calibrate: ["--engine", "model:40+5b"],
    settings: { ENGINE: "model:40+5b", BATCH_MAX: "8" },
  });

/**
 * Calibrates the engine, starts a stack and calibrates it, then replays traces that the profile was not
 * fitted to, and puts predicted beside measured values.
 */
async function comparePredictions(bench: Bench, engine: PredictedEngine): Promise<PartResult> {
  const { quick, steps, folder, servers } = bench;
  mkdirSync(folder, { recursive: true });
  const profile = join(folder, `profile-${engine.workers}-${engine.batchMax}.json`);
  const plan = (...args: string[]) =>
    capture(process.execPath, [join(repository, "planning/src/main.ts"), ...args], {
      env: servers.environment,
      stop: bench.stop,
    });
  const sizes = ["--workers", `${engine.workers}`, "--batch-max", `${engine.batchMax}`];
  await steps.run("calibrating the engine", async () => {
    const how = ["--rounds", quick ? "8" : "20", "--accept-noise", "--models-dir", servers.models];
    const lanes = ["--lanes", "Dlib/ssd,Dlib/tiny"];
    await plan("calibrate", "--out", profile, ...how, ...lanes, ...sizes, ...engine.calibrate);
  });
  await using stack = await openStack(bench, engine.settings, {
    workers: engine.workers,
    threads: 1,
    operators: true,
  });
  const service = [
    "--url",
    stack.target("/", []).url,
    "--key-file",
    servers.state.devKey,
    "--operators",
    stack.operatorsPorts.map((port) => `http://127.0.0.1:${port}`).join(","),
  ];
  await steps.run("calibrating the service", () =>
    plan("calibrate", "--out", profile, ...service, "--seconds", quick ? "5" : "10", "--accept-noise"),
  );
  const { perSecond } = (readJson(profile) as { service: { perSecond: number } }).service;
  const results: PredictedTrace[] = [];
  for (const [index, { name, share, seed, args = [] }] of traces.entries()) {
    const json = join(folder, `replay-${index}.json`);
    const rate = (share * perSecond).toFixed(3);
    const traffic = ["--rate", rate, "--seconds", quick ? "20" : "120", "--deadline", "2000", ...args];
    const files = ["--profile", profile, "--json", json, "--seed", `${seed}`];
    const others = watchOtherWork();
    const enginesBefore = engineSeconds(bench);
    const text = await steps.run(name, () => plan("replay", ...files, ...service, ...sizes, ...traffic));
    const beside = others();
    const { workers } = engine;
    const engines = engineSeconds(bench) - enginesBefore;
    results.push({ name, traffic, text, beside, engines, workers, ...(readJson(json) as ReplayJson) });
  }
  return {
    plan: { engine, perSecond, profile: readJson(profile) },
    results,
    tables: `${engine.name}, ${perSecond.toFixed(1)} calls a second at most\n\n${tableOf(results)}`,
  };
}

/** Of the calls a second that the service answered at most while it was calibrated. */
const traces: { name: string; share: number; seed: number; args?: string[] }[] = [
  { name: "steady, 60 %", share: 0.6, seed: 11 },
  { name: "steady, 90 %", share: 0.9, seed: 12 },
  { name: "bursts of 5 times, 50 %", share: 0.5, seed: 13, args: ["--draw", "bursts"] },
  { name: "overload, 130 %", share: 1.3, seed: 14 },
  { name: "two lanes, 60 %", share: 0.6, seed: 15, args: ["--lane", "Dlib/ssd,Dlib/tiny"] },
  // The calls of the second row once more: how far measured values differ by themselves.
  { name: "steady, 90 %, again", share: 0.9, seed: 12 },
];

/** CPU time of the threads that run the networks, of all workers; 0 on anything but Linux. */
function engineSeconds(bench: Bench): number {
  const leaders = Object.entries(leadersOf(bench)).filter(([name]) => name.startsWith("inference-"));
  const threads = threadSeconds(Object.fromEntries(leaders)) ?? new Map<string, number>();
  return sum([...threads].flatMap(([name, seconds]) => (name.endsWith(" engine") ? seconds : [])));
}

function tableOf(results: readonly PredictedTrace[]): string {
  const cell = ({ unit, predicted, measured, error }: Compared) => {
    const text = (value: number) =>
      unit === "share" ? (100 * value).toFixed(1) : value.toFixed(unit === "ms" ? 0 : 2);
    if (measured === undefined || error === undefined) return text(predicted);
    const sign = error < 0 ? "" : "+";
    return `${text(predicted)} / ${text(measured)}, ${sign}${(100 * error).toFixed(1)}`;
  };
  const [first] = results;
  const head = [
    "predicted / measured, error",
    ...first!.compared.map(({ name, unit }) => `${name} ${units[unit]}`),
  ];
  return [
    table(
      head,
      results.map(({ name, beside, compared }) => [
        isNoisy(beside) ? `${name} (NOISY)` : name,
        ...compared.map(cell),
      ]),
    ),
    "Errors of times and sizes in % of the measured value, of shares in points.",
    ...(results.some(({ beside }) => isNoisy(beside)) ? [noisySentence] : []),
    "Mean ms by stage, predicted / measured:",
    table(
      ["", ...Object.keys(first!.predicted.stages)],
      results.map(({ name, predicted, measured }) => [
        name,
        ...Object.entries(predicted.stages).map(
          ([stage, ms]) => `${ms.toFixed(1)} / ${measured.stages[stage]!.toFixed(1)}`,
        ),
      ]),
    ),
    "Mean ms of a run by the size of its batch, predicted / measured:",
    runsTable(results),
    "What else took the cores, and how runs went:",
    table(
      ["", "others, cores", "hypervisor, cores", "engine threads, cores", "a run / its CPU time"],
      results.map((each) => [each.name, ...cores(each)]),
    ),
  ].join("\n\n");
}

function runsTable(results: readonly PredictedTrace[]): string {
  const sizes = [...new Set(results.flatMap(({ measured }) => Object.keys(measured.meanRunMs)))];
  return table(
    ["", ...sizes],
    results.map(({ name, predicted, measured }) => [
      name,
      ...sizes.map((size) => {
        const [ours, real] = [predicted.meanRunMs[size], measured.meanRunMs[size]];
        return `${ours?.toFixed(1) ?? "–"} / ${real?.toFixed(1) ?? "–"}`;
      }),
    ]),
  );
}

/** Times of runs beyond their CPU time are waits for a core, if the engine needs one. */
function cores({ beside, engines, workers, measured }: PredictedTrace): string[] {
  const text = (value: number | undefined) => value?.toFixed(2) ?? "–";
  const { utilisation = 0, forMs } = measured;
  const runs = (utilisation * workers * forMs) / 1_000;
  return [
    text(beside?.othersCores),
    text(beside?.stolenCores),
    text((1_000 * engines) / forMs),
    text(engines < waitingShareMax * runs ? undefined : runs / engines),
  ];
}

/** An engine whose threads have less of a run is modelled: it needs no core. */
const waitingShareMax = 0.05;

/** Above it other programs change the times of runs by more than they vary. */
const otherCoresMax = 0.1;

const isNoisy = (beside: OtherWork | undefined): boolean =>
  beside !== undefined && beside.othersCores + beside.stolenCores > otherCoresMax;

const noisySentence =
  `NOISY: other programs and the hypervisor took more than ${otherCoresMax} cores. ` +
  "Such a row says nothing of a prediction; run it again on a quiet machine.";

const units = { ms: "ms", tasks: "", share: "%" };

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

type PredictedEngine = {
  name: string;
  workers: number;
  batchMax: number;
  /** Further arguments of `plan calibrate`, and settings of the stack. */
  calibrate: string[];
  settings: NodeJS.ProcessEnv;
};

type Compared = {
  name: string;
  unit: "ms" | "tasks" | "share";
  predicted: number;
  measured?: number;
  error?: number;
};

/** What `plan replay --json` writes. */
type ReplayJson = {
  compared: Compared[];
  predicted: { stages: Record<string, number>; meanRunMs: Record<string, number> };
  measured: {
    stages: Record<string, number>;
    outcomes: Record<string, number>;
    meanRunMs: Record<string, number>;
    utilisation?: number;
    forMs: number;
  };
};

type PredictedTrace = ReplayJson & {
  name: string;
  traffic: string[];
  text: string;
  /** What took the cores meanwhile that was not this. */
  beside: OtherWork | undefined;
  /** CPU time of the engines' threads, in seconds. */
  engines: number;
  workers: number;
};
