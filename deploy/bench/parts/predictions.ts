import { mkdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Profile } from "@faceline/contracts/stored/profile";
import { capture } from "../../launcher/capture.ts";
import { repository } from "../../launcher/state-folder.ts";
import { watchOtherWork } from "../observe/other-work.ts";
import { measureCpu } from "../observe/processes.ts";
import { type Bench, leadersOf, openStack, type Part, type PartResult } from "../part.ts";
import { inRandomOrder, mulberry32 } from "../statistics.ts";
import {
  predictionTables,
  type ReplayedTrace,
  type ReplayJson,
  type ReplayRound,
} from "./predictions-tables.ts";

/** How far the predictions of `npm run plan` are off with real models. */
export const predictions: Part = (bench) =>
  comparePredictions(bench, {
    name: "real models",
    workers: availableParallelism(),
    batchMax: 4,
    rounds: 4,
    calibrate: [],
    settings: {},
  });

/** The same with an engine that only waits: what is left is the scheduler and the path around the engine. */
export const predictionsModelled: Part = (bench) =>
  comparePredictions(bench, {
    name: "modelled engine",
    workers: 1,
    batchMax: 8,
    // It needs no core, so that the machine's pace is nothing to it.
    rounds: 2,
    calibrate: ["--engine", "model:40+5b"],
    settings: { ENGINE: "model:40+5b", BATCH_MAX: "8" },
  });

/**
 * Calibrates the engine and starts a stack. Then, in rounds, calibrates the service and replays traces that
 * the profile was not fitted to, in random order, and puts predicted beside measured values. The pace of a
 * shared machine changes within minutes, so that each trace meets several.
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
  const random = mulberry32(orderSeed);
  const results: ReplayedTrace[] = traces.map(({ name }) => ({ name, rounds: [] }));
  const profiles: Profile[] = [];
  for (let round = 1; round <= (quick ? 1 : engine.rounds); round++) {
    await steps.run(`round ${round}: calibrating the service`, () =>
      plan("calibrate", "--out", profile, ...service, "--seconds", quick ? "3" : "5", "--accept-noise"),
    );
    const calibrated = readJson(profile) as Profile;
    profiles.push(calibrated);
    for (const trace of inRandomOrder(traces, random)) {
      const { name, share, args = [] } = trace;
      const index = traces.indexOf(trace);
      const json = join(folder, `replay-${index}-${round}.json`);
      const rate = (share * calibrated.service.perSecond).toFixed(3);
      const seconds = quick ? "15" : "40";
      const seed = `${seedsApart * round + index}`;
      const traffic = ["--rate", rate, "--seconds", seconds, "--deadline", "2000", "--seed", seed, ...args];
      const replayed = await steps.run(`round ${round}: ${name}`, async (): Promise<ReplayRound> => {
        const others = watchOtherWork();
        const cpu = measureCpu(leadersOf(bench));
        const text = await plan(
          "replay",
          "--profile",
          profile,
          "--json",
          json,
          ...service,
          ...sizes,
          ...traffic,
        );
        return { traffic, text, beside: others(), cpu: cpu(), ...(readJson(json) as ReplayJson) };
      });
      results[index]!.rounds.push(replayed);
    }
  }
  const perSecond = profiles.map(({ service }) => service.perSecond.toFixed(1)).join(", ");
  return {
    plan: { engine, profiles },
    results,
    tables: `${engine.name}; calls a second at most, by round: ${perSecond}\n\n${predictionTables(results)}`,
  };
}

/** Of the calls a second that the service answered at most while it was calibrated. */
const traces: { name: string; share: number; args?: string[] }[] = [
  { name: "steady, 60 %", share: 0.6 },
  { name: "steady, 90 %", share: 0.9 },
  { name: "bursts of 5 times, 50 %", share: 0.5, args: ["--draw", "bursts"] },
  { name: "overload, 130 %", share: 1.3 },
  { name: "two lanes, 60 %", share: 0.6, args: ["--lane", "Dlib/ssd,Dlib/tiny"] },
];

const orderSeed = 1;
/** Of a trace, from one round to the next. */
const seedsApart = 10;

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

type PredictedEngine = {
  name: string;
  workers: number;
  batchMax: number;
  rounds: number;
  /** Further arguments of `plan calibrate`, and settings of the stack. */
  calibrate: string[];
  settings: NodeJS.ProcessEnv;
};
