import { existsSync, globSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../launcher/state-folder.ts";
import { foreground } from "./foreground.ts";

/** The test files of a pattern, in a steady order. */
export const testFiles = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: repository, exclude: ["**/node_modules/**"] }).toSorted();

/** Node's own test runner, one file at a time: these tests share the machine's two cores with a broker. */
export async function runFiles(files: string[], options: RunOptions): Promise<TestRun> {
  if (files.length === 0)
    return {
      ok: false,
      counts: { tests: 0, pass: 0, fail: 0, skipped: 0 },
      closing: ["no test files were found"],
    };
  const args = ["--test", "--test-concurrency=1", "--test-reporter=spec", ...files];
  return run(process.execPath, args, options, true);
}

/** The unit and simulated tests of every workspace. What has not changed is taken from turbo's cache, and says so. */
export async function runWorkspaces(options: RunOptions): Promise<TestRun> {
  const args = ["run", "test", "--log-prefix=none", "--continue=always", "--concurrency=2", "--ui=stream"];
  const env = {
    ...options.env,
    TURBO_TELEMETRY_DISABLED: "1",
    TURBO_NO_UPDATE_NOTIFIER: "1",
    // Part of the cache's key: where the photographs come or go, other tests run.
    LABELLED_FACES: labelledFaces(),
  };
  return run("turbo", args, { ...options, env }, false);
}

/**
 * Shows what a runner prints. With `hold`, what it closes with is kept for the caller to show: the counts, and after
 * them the failures in full.
 */
async function run(
  command: string,
  args: string[],
  { env, stop }: RunOptions,
  hold: boolean,
): Promise<TestRun> {
  const closing: string[] = [];
  const counts = { tests: 0, pass: 0, fail: 0, skipped: 0 };
  const show = (line: string): boolean => {
    const [, kind, count] = /^ℹ (tests|pass|fail|skipped) (\d+)$/.exec(line) ?? [];
    if (kind !== undefined) counts[kind as keyof Counts] += Number(count);
    if (!hold || (kind === undefined && closing.length === 0)) return true;
    closing.push(line);
    return false;
  };
  const code = await foreground(command, args, { env, stop, show });
  return { ok: code === 0 && counts.tests > 0, counts, closing };
}

export type RunOptions = { env: NodeJS.ProcessEnv; stop: AbortSignal };

/** Names and sizes of the photographs that some tests read where they are there. */
function labelledFaces(): string {
  const folder = join(repository, "../shared/data/faces");
  if (!existsSync(folder)) return "none";
  return readdirSync(folder)
    .map((name) => `${name}:${statSync(join(folder, name)).size}`)
    .join();
}

/** What the runner's closing lines count. */
export type Counts = { tests: number; pass: number; fail: number; skipped: number };

export type TestRun = { ok: boolean; counts: Counts; closing: string[] };
