import { readDevKey, storeKey } from "@faceline/deploy/launcher/dev-key";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { type Command, runCommand } from "@faceline/deploy/launcher/run-command";
import { Services } from "@faceline/deploy/launcher/services";
import { readLaunchOptions } from "@faceline/deploy/launcher/settings";
import { Steps } from "@faceline/deploy/launcher/steps";
import { openTestServers } from "@faceline/testing/test-servers";
import { findTestFiles, runFiles } from "./test-runner.ts";

// `npm run e2e -- [--workers N] [--batchers N] [--ingress N] [FILE…]`: the tests that take minutes, on one
// running Faceline. They find it by FACELINE_URL and FACELINE_KEY.

await runCommand(e2e);

async function e2e({ print, stop, force }: Command): Promise<void> {
  const steps = Steps.sinceCommandStart(print);
  const args = process.argv.slice(2);
  const named = args.filter(isTestFile);
  const launch = readLaunchOptions(
    args.filter((argument) => !isTestFile(argument)),
    process.env,
  );
  await using servers = await openTestServers({ launch, steps, print, stop, force });
  const key = readDevKey(servers.state.devKey);
  await storeKey(servers.environment, key, "dev");

  await using services = new Services(
    {
      counts: launch,
      access: servers.access,
      pool: launch.POOL,
      host: "127.0.0.1",
      ports: await freePorts(launch.ingress),
      threads: launch.INTRA_OP_THREADS,
      environment: { ...servers.environment, LOG_LEVEL: launch.LOG_LEVEL },
    },
    servers.watch,
  );
  await steps.run("services", () => services.start());
  await steps.run("health", () => services.waitUntilHealthy(stop));

  const env = { ...servers.environment, FACELINE_URL: services.addresses[0]!, FACELINE_KEY: key };
  const { ok, summary } = await steps.run("end to end", async (note) => {
    const files = named.length > 0 ? named : findTestFiles("tools/e2e/*.e2e.test.ts");
    const run = await runFiles(files, { env, stop });
    note(`${run.counts.tests} tests${run.ok ? "" : ", failed"}`);
    return run;
  });
  if (!ok) {
    process.exitCode = 1;
    print(`\nlogs of the servers and services: ${servers.keepFolder()}`);
  }
  print(`\n${steps.table()}\n`);
  for (const line of summary) print(line);
}

function isTestFile(argument: string): boolean {
  return argument.endsWith(".test.ts");
}
