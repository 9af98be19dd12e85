import { join } from "node:path";
import { runInForeground } from "@faceline/deploy/launcher/foreground";
import { pullForTests, unpulledModels } from "@faceline/deploy/launcher/models";
import { type Command, runCommand } from "@faceline/deploy/launcher/run-command";
import { buildScripts } from "@faceline/deploy/launcher/services";
import { readLaunchOptions } from "@faceline/deploy/launcher/settings";
import { Steps } from "@faceline/deploy/launcher/steps";
import { modelsFolder } from "@faceline/models/model-file";
import { parseOptions } from "@faceline/models/parse-options";
import type { TestServers } from "@faceline/testing/test-servers";
import {
  findTestFiles,
  needsServers,
  runFiles,
  runsAlone,
  runUnitTests,
  type TestRun,
} from "./test-runner.ts";

const usage = `usage:
  npm test                        check, unit and simulated tests, and those that need Kafka and Redis
  npm test -- FILE…               these files; servers start only when one of them needs them, by its name
  npm run test:watch -- FILE…     likewise, and again after each change
  npm run e2e [-- NAME…]          the tests that take minutes, or those named: labelled-pairs, a file. With CI
                                  set a skipped one fails.`;

const filesWithServers = [
  "{accounts,batcher,contracts,deploy,inference,ingress,runtime,tools,web}/**/*.live.test.ts",
  "tools/e2e/**/*.stack.test.ts",
];

await runCommand(usage, test);

async function test(command: Command): Promise<void> {
  const { print, stop } = command;
  const { values, positionals } = parseOptions({
    allowPositionals: true,
    options: { watch: { type: "boolean", default: false }, e2e: { type: "boolean", default: false } },
  });
  const names = values.e2e ? positionals.map(e2eFile) : positionals;
  const named = names.length > 0;
  const all = !named && !values.e2e;
  const defaults = values.e2e ? ["tools/e2e/*.e2e.test.ts"] : filesWithServers;
  const files = findTestFiles(...(named ? names : defaults));
  const missing = names.filter((pattern) => findTestFiles(pattern).length === 0);
  if (missing.length > 0) throw new Error(`No test file matches ${missing.join(" ")}.`);
  if (values.watch && !named) throw new Error("Name the files to watch: npm run test:watch -- FILE…");

  const steps = Steps.sinceCommandStart();
  await buildScripts();
  if (all) await pullModels(steps, stop);
  await using servers = files.some(needsServers) ? await openServers(command, steps) : undefined;
  const options = { env: servers?.environment ?? process.env, stop };
  if (values.watch) return void (await runFiles(files, { ...options, note: () => {}, watch: true }));

  const runs: TestRun[] = [];
  const attempt = (name: string, run: (note: (text: string) => void) => Promise<TestRun>) =>
    steps.attempt(name, async (note) => {
      const result = await run(note);
      // In a pipeline nobody reads that an end-to-end test was skipped.
      if (values.e2e && process.env["CI"] && result.counts.skipped > 0) result.ok = false;
      runs.push(result);
      note(`${result.counts.tests} tests, ${result.counts.skipped} skipped${result.ok ? "" : ", failed"}`);
      return result.ok;
    });
  if (all) {
    const check = join(import.meta.dirname, "check.ts");
    const checkIsOk = async () => (await runInForeground(process.execPath, [check], { stop })) === 0;
    if (!(await steps.attempt("check", checkIsOk))) process.exitCode = 1;
    await attempt("unit and simulated", (note) => runUnitTests({ ...options, note }));
  }
  for (const [name, some] of Map.groupBy(files, kindOf)) {
    stop.throwIfAborted();
    await attempt(name, (note) => runFiles(some, { ...options, note }));
  }

  if (runs.some((run) => !run.ok)) {
    process.exitCode = 1;
    if (servers !== undefined) print(`\nlogs of the servers and services: ${servers.keepFolder()}`);
  }
  print(`\n${steps.table()}\n`);
  const sum = (kind: "pass" | "fail" | "skipped") =>
    runs.reduce((total, { counts }) => total + counts[kind], 0);
  print(`all: ${sum("pass")} passed, ${sum("fail")} failed, ${sum("skipped")} skipped\n`);
  for (const { summary } of runs) for (const line of summary) print(line);
}

/** Returns the file of an end-to-end test that is named without its folder and ending. */
function e2eFile(name: string): string {
  return /^[\w-]+$/.test(name) ? `tools/e2e/${name}.e2e.test.ts` : name;
}

/** 145 MB, once: they stay in the state folder. */
async function pullModels(steps: Steps, stop: AbortSignal): Promise<void> {
  const names = (await unpulledModels(modelsFolder)).map(({ name }) => name);
  if (names.length === 0) return;
  await steps.attempt("pulled models", async (note) => {
    const fault = await pullForTests(modelsFolder, names, stop);
    note(fault === undefined ? names.join(", ") : `NOT TESTED: ${names.join(", ")}. ${fault}`);
    return true;
  });
}

function kindOf(file: string): string {
  if (!needsServers(file)) return "unit";
  if (file.endsWith(".live.test.ts")) return "live";
  return runsAlone(file) ? "whole stack" : "whole stack, in pairs";
}

async function openServers(command: Command, steps: Steps): Promise<TestServers> {
  // Imported only here: it loads clients of Kafka and Redis, and a unit test need not wait for them.
  const { openTestServers } = await import("@faceline/testing/test-servers");
  return openTestServers({ launch: readLaunchOptions([], process.env), steps, ...command });
}
