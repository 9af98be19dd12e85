import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { repository } from "../launcher/state-folder.ts";
import { said } from "./bare.ts";

/** The engine's accuracy over the labelled photographs, measured by a program of the engine's, a case at a time. */
export async function openAccuracy({ modelsDir, quick }: AccuracyOptions): Promise<Accuracy> {
  const main = join(repository, "inference/accuracy/accuracy.bench.ts");
  const child = spawn(process.execPath, [main, quick ? "quick" : "all"], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: { ...process.env, MODELS_DIR: modelsDir },
  });
  const who = "the measurement of accuracy";
  const plan = (await said(child, who)) as AccuracyPlan;
  const ask = (what: { case: string } | { across: true }) => {
    child.send(what);
    return said(child, who);
  };
  return {
    plan,
    rowsOf: async (name) =>
      ((await ask({ case: name })) as Omit<Row, "case">[]).map((row) => ({ ...row, case: name })),
    across: async () => (await ask({ across: true })) as ByMetric,
    async [Symbol.asyncDispose]() {
      const gone = once(child, "exit");
      child.disconnect();
      await gone;
    },
  };
}

export const metrics = ["cosine", "euclidean"] as const;

export type AccuracyOptions = { modelsDir: string; quick: boolean };

export type Accuracy = AsyncDisposable & {
  plan: AccuracyPlan;
  /** A row for each configuration. */
  rowsOf(name: string): Promise<Row[]>;
  /** The pictures as they are, one embedded in any way that the service has on some machine, the other in any. */
  across(): Promise<ByMetric>;
};

export type AccuracyPlan = {
  configurations: string[];
  /** Float, the detector's full size alone. */
  reference: string;
  /** What the service does on this machine where a call wants one face. */
  usual: string;
  /** What it does on some machine for some call. */
  served: string[];
  /** Why some of it runs in float that was to run in int8. */
  fallbacks: string[];
  thresholds: Record<(typeof metrics)[number], number>;
  /** Pictures as they are first, then worse copies, and how those are made. */
  cases: { name: string; how: string }[];
  people: { pictures: number; pairs: number };
};

export type Row = ByMetric & {
  case: string;
  configuration: string;
  /** Pictures. */
  of: number;
  detected: number;
  missed: string[];
  /** The euclidean distance to what the reference says of the same pictures. */
  offReference: { mean: number; max: number } | null;
  /** Milliseconds of a decoded picture, in one thread. */
  medianMs: number;
};

export type ByMetric = Record<(typeof metrics)[number], Tally>;

/** Where a face was not found the verdict is wrong, and there is no distance. Null: no pair has one. */
export type Tally = {
  right: number;
  of: number;
  sameMax: number | null;
  differentMin: number | null;
  equalErrorRate: number | null;
};
