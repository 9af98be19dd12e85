import { globSync } from "node:fs";
import { foreground } from "./foreground.ts";
import { repository } from "./state-folder.ts";

/** The test files of a pattern, in a steady order. */
export const testFiles = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: repository, exclude: ["**/node_modules/**"] }).toSorted();

/** Node's own test runner, one file at a time: these tests share the machine's two cores with a broker. */
export async function runFiles(files: string[], options: RunOptions): Promise<TestRun> {
  if (files.length === 0) return { ok: false, tests: 0, closing: ["no test files were found"] };
  const args = ["--test", "--test-concurrency=1", "--test-reporter=spec", ...files];
  return run(process.execPath, args, options, true);
}

/** The unit and simulated tests of every workspace. What has not changed is taken from turbo's cache, and says so. */
export async function runWorkspaces(options: RunOptions): Promise<TestRun> {
  const args = ["run", "test", "--log-prefix=none", "--continue=always", "--concurrency=2", "--ui=stream"];
  const env = { ...options.env, TURBO_TELEMETRY_DISABLED: "1", TURBO_NO_UPDATE_NOTIFIER: "1" };
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
  let tests = 0;
  const show = (line: string): boolean => {
    const count = /^ℹ tests (\d+)$/.exec(line)?.[1];
    tests += Number(count ?? 0);
    if (!hold || (count === undefined && closing.length === 0)) return true;
    closing.push(line);
    return false;
  };
  const code = await foreground(command, args, { env, stop, show });
  return { ok: code === 0 && tests > 0, tests, closing };
}

export type RunOptions = { env: NodeJS.ProcessEnv; stop: AbortSignal };

export type TestRun = { ok: boolean; tests: number; closing: string[] };
