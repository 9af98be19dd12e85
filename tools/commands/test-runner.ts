import { globSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { runInForeground } from "@faceline/deploy/launcher/foreground";
import { unpulledModels } from "@faceline/deploy/launcher/models";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { modelsFolder } from "@faceline/models/model-file";
import { facesFolder, withoutFaces } from "@faceline/testing/faces";

/** Test files that match the patterns, sorted. Paths are relative to the repository. */
export const findTestFiles = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: repository, exclude: ["**/node_modules/**"] }).toSorted();

/**
 * Arguments of Node for the tests of the repository's tidiness. They take seconds, and print failures alone.
 */
export const tidyArguments = ["--test", "--test-reporter=dot", "tools/tidy/*.test.ts"];

/** Whether a test file needs Kafka and Redis, by its name. All others are unit tests and start nothing. */
export const needsServers = (file: string): boolean => /\.(live|stack|e2e)\.test\.ts$/.test(file);

/**
 * The whole-stack tests in `tools/e2e` of which two run at a time: they mostly wait for processes to start,
 * to notice or to end. None of them stops, reconfigures or searches the servers that tests share, none counts
 * processes, and none depends on free cores. All others run alone.
 */
export const stackTestsInPairs: readonly string[] = [
  "added-model.stack.test.ts",
  "client-package.stack.test.ts",
  "core-dump.stack.test.ts",
  "dashboards.stack.test.ts",
  "detectors.stack.test.ts",
  "egress.stack.test.ts",
  "live-page.stack.test.ts",
  "log-ids.stack.test.ts",
  "observe.stack.test.ts",
  "otlp-protocols.stack.test.ts",
  "plan.stack.test.ts",
  "readme.stack.test.ts",
  "restore.stack.test.ts",
  "swallowed-links.stack.test.ts",
  "tracing.stack.test.ts",
  "two-builds.stack.test.ts",
  "two-models.stack.test.ts",
  "volatile-redis.stack.test.ts",
  "worker-drain.stack.test.ts",
  "wrong-setting.stack.test.ts",
];

/** Whether a test file starts services and runs while no other does: all but those that are listed. */
export const runsAlone = (file: string): boolean =>
  /\.(stack|e2e)\.test\.ts$/.test(file) && !stackTestsInPairs.includes(basename(file));

/**
 * Runs files with Node's test runner. Of those that need servers two run at a time, because they mostly wait,
 * unless one of them runs alone. `watch` runs them again when they or what they import change, until `stop`
 * aborts.
 */
export async function runFiles(files: string[], options: RunOptions & { watch?: boolean }): Promise<TestRun> {
  if (files.length === 0) return { ok: false, counts: noCounts(), summary: ["no test files were found"] };
  const args = ["--test", "--test-reporter=spec"];
  if (files.some(runsAlone)) args.push("--test-concurrency=1");
  else if (files.some(needsServers)) args.push("--test-concurrency=2");
  if (options.watch) args.push("--watch");
  return run(process.execPath, [...args, ...files], options, { holdSummary: !options.watch });
}

/**
 * Runs the unit and simulated tests of all packages. turbo takes unchanged packages from its cache, and says
 * so.
 */
export async function runUnitTests(options: RunOptions): Promise<TestRun> {
  const args = ["run", "test", "--log-prefix=none", "--continue=always", "--concurrency=3", "--ui=stream"];
  const env = {
    ...options.env,
    TURBO_TELEMETRY_DISABLED: "1",
    TURBO_NO_UPDATE_NOTIFIER: "1",
    // Parts of turbo's cache key: with and without the photographs and the pulled models, other tests run.
    LABELLED_FACES: labelledFacesState(),
    UNPULLED_MODELS: (await unpulledModels(modelsFolder)).map(({ name }) => name).join(),
  };
  return run("turbo", args, { ...options, env }, { holdSummary: false });
}

/**
 * Prints a runner's output. Held back is the summary, with all failures, which the caller prints at its end.
 */
async function run(
  command: string,
  args: string[],
  { env, stop, note }: RunOptions,
  { holdSummary }: { holdSummary: boolean },
): Promise<TestRun> {
  const summary: string[] = [];
  const counts = noCounts();
  let ended = 0;
  const show = (line: string): boolean => {
    const [, kind, count] = /^ℹ (tests|pass|fail|skipped) (\d+)$/.exec(line) ?? [];
    if (kind !== undefined) counts[kind as keyof Counts] += Number(count);
    if (/^\s*[✔✖] /.test(line)) note(`${++ended} tests so far`);
    if (!holdSummary || (kind === undefined && summary.length === 0)) return true;
    summary.push(line);
    return false;
  };
  const code = await runInForeground(command, args, { env, stop, show });
  return { ok: code === 0 && counts.tests > 0, counts, summary };
}

/** Names and sizes of the labelled photographs, or "none". */
function labelledFacesState(): string {
  if (withoutFaces !== false) return "none";
  return readdirSync(facesFolder)
    .map((name) => `${name}:${statSync(join(facesFolder, name)).size}`)
    .join();
}

const noCounts = (): Counts => ({ tests: 0, pass: 0, fail: 0, skipped: 0 });

type RunOptions = {
  env: NodeJS.ProcessEnv;
  stop: AbortSignal;
  /** Receives how many tests have ended. */
  note(text: string): void;
};

type Counts = { tests: number; pass: number; fail: number; skipped: number };

export type TestRun = { ok: boolean; counts: Counts; summary: string[] };
