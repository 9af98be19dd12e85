import { readDevKey, storeKey } from "../launcher/dev-key.ts";
import { freePorts } from "../launcher/ports.ts";
import { Services } from "../launcher/services.ts";
import { readLaunch } from "../launcher/settings.ts";
import { Steps } from "../launcher/steps.ts";
import { stopRequests } from "../launcher/stop.ts";
import { openTestServers } from "../launcher/test-servers.ts";
import { runFiles, testFiles } from "./test-runner.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const requests = stopRequests(say);
const { stop } = requests;

try {
  await testStack();
} catch (fault) {
  process.exitCode = 1;
  if (!stop.aborted) process.stderr.write(`\n${(fault as Error).message}\n`);
}
if (stop.aborted) process.exitCode = 130;
process.exit();

/** `npm run e2e -- [--workers N] [--batchers N] [--ingress N] [FILE…]` */
async function testStack(): Promise<void> {
  const steps = Steps.sinceCommand(say);
  const given = process.argv.slice(2);
  const named = given.filter(isTestFile);
  const launch = readLaunch(
    given.filter((argument) => !isTestFile(argument)),
    process.env,
  );
  await using servers = await openTestServers({ launch, steps, say, ...requests });
  const key = readDevKey(servers.state.devKey);
  await storeKey(servers.urls.REDIS_DURABLE_URL, key, "dev");

  await using services = new Services(
    {
      counts: launch,
      urls: servers.urls,
      pool: launch.POOL,
      host: "127.0.0.1",
      ports: await freePorts(launch.ingress),
      threads: launch.INTRA_OP_THREADS,
      environment: { ...servers.environment, LOG_LEVEL: launch.LOG_LEVEL },
    },
    servers.watch,
  );
  await steps.run("services", () => services.start());
  await steps.run("health", () => services.healthy(launch.HEALTHY_WITHIN_MS, stop));

  const env = { ...servers.environment, FACELINE_URL: services.addresses[0]!, FACELINE_KEY: key };
  const { ok, closing } = await steps.run("end to end", async (note) => {
    const files = named.length > 0 ? named : testFiles("deploy/e2e/*.e2e.test.ts");
    const run = await runFiles(files, { env, stop });
    note(`${run.counts.tests} tests${run.ok ? "" : ", failed"}`);
    return run;
  });
  if (!ok) {
    process.exitCode = 1;
    say(`\nlogs of the servers and services: ${servers.keepFolder()}`);
  }
  say(`\n${steps.table()}\n`);
  for (const line of closing) say(line);
}

function isTestFile(argument: string): boolean {
  return argument.endsWith(".test.ts");
}
