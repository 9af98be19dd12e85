import { join } from "node:path";
import { parseArgs } from "node:util";
import { readLaunch } from "../launcher/settings.ts";
import { Steps } from "../launcher/steps.ts";
import { stopRequests } from "../launcher/stop.ts";
import { openTestServers } from "../launcher/test-servers.ts";
import { foreground } from "./foreground.ts";
import { runFiles, runWorkspaces, type TestRun, testFiles } from "./test-runner.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const requests = stopRequests(say);
const { stop } = requests;
const checkFile = join(import.meta.dirname, "check.ts");

try {
  await testAll();
} catch (fault) {
  process.exitCode = 1;
  if (!stop.aborted) process.stderr.write(`\n${(fault as Error).message}\n`);
}
if (stop.aborted) process.exitCode = 130;
process.exit();

/** `npm test`, or `npm test -- FILE…` for some of the tests that need the servers. */
async function testAll(): Promise<void> {
  const steps = Steps.sinceCommand(say);
  const { positionals } = parseArgs({ allowPositionals: true });
  const files =
    positionals.length > 0
      ? positionals
      : testFiles(
          "{contracts,ingress,batcher,inference,deploy}/**/*.live.test.ts",
          "deploy/e2e/!(*.e2e).test.ts",
        );

  await using servers = await openTestServers({
    launch: readLaunch([], process.env),
    steps,
    say,
    ...requests,
  });
  const options = { env: servers.environment, stop };
  const runs: TestRun[] = [];
  const part = (name: string, run: () => Promise<TestRun>) =>
    steps.part(name, async (note) => {
      const result = await run();
      runs.push(result);
      note(`${result.counts.tests} tests, ${result.counts.skipped} skipped${result.ok ? "" : ", failed"}`);
      return result.ok;
    });

  if (positionals.length === 0) {
    const checked = await steps.part(
      "check",
      async () => (await foreground(process.execPath, [checkFile], { stop })) === 0,
    );
    if (!checked) process.exitCode = 1;
    await part("unit and simulated", () => runWorkspaces(options));
  }
  stop.throwIfAborted();
  await part("live and end to end", () => runFiles(files, options));

  if (runs.some((run) => !run.ok)) {
    process.exitCode = 1;
    say(`\nlogs of the servers and services: ${servers.keepFolder()}`);
  }
  say(`\n${steps.table()}\n`);
  const all = (kind: "pass" | "fail" | "skipped") => runs.reduce((sum, { counts }) => sum + counts[kind], 0);
  say(`all: ${all("pass")} passed, ${all("fail")} failed, ${all("skipped")} skipped\n`);
  for (const line of runs.at(-1)?.closing ?? []) say(line);
}
