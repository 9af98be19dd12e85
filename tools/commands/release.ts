import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture } from "@faceline/deploy/launcher/capture";
import { readDevKey, storeKey } from "@faceline/deploy/launcher/dev-key";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { type Command, runCommand } from "@faceline/deploy/launcher/run-command";
import { Services } from "@faceline/deploy/launcher/services";
import { readLaunchOptions } from "@faceline/deploy/launcher/settings";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { Steps } from "@faceline/deploy/launcher/steps";
import { releaseChangelog } from "@faceline/releases/changelog";
import { schemasOfThisRelease } from "@faceline/releases/messages";
import { makeUsualCalls, recordMessages } from "@faceline/releases/record-messages";
import { openTestServers } from "@faceline/testing/test-servers";

// `npm run release -- 0.2.0`: writes the version into every package and the changelog, and records what the
// services of this release send each other, with which the next one is compared. Commits nothing.

/** These have the version too; npm writes it into the packages of the workspaces alone. */
const filesWithVersion = [
  "contracts/client/package.json",
  "contracts/client/README.md",
  "contracts/client/python/README.md",
  "contracts/client/python/pyproject.toml",
  "docs/using/clients.md",
  "deploy/chart/Chart.yaml",
  "deploy/compose/compose.yaml",
  "deploy/images/Dockerfile",
];

await runCommand(release);

async function release(command: Command): Promise<void> {
  const { print, stop } = command;
  const [version = ""] = process.argv.slice(2);
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error("Name the version: npm run release -- 0.2.0");
  const changes = await capture("git", ["-C", repository, "status", "--porcelain"]);
  if (changes.trim() !== "") throw new Error("Commit first: a release is made of a clean working tree.");

  const steps = Steps.sinceCommandStart();
  await steps.run("changelog", async () => {
    edit("CHANGELOG.md", (text) => releaseChangelog(text, version, new Date()));
  });
  await steps.run("versions", () => setVersion(version, stop));
  await steps.run("recorded messages", async (note) => {
    const messages = await record(command);
    const folder = join(repository, "tools", "releases", "recorded");
    for (const file of readdirSync(folder)) rmSync(join(folder, file));
    const text = JSON.stringify({ version, schemas: schemasOfThisRelease(), messages }, undefined, 1);
    writeFileSync(join(folder, `${version}.json`), `${text}\n`);
    note(
      Object.entries(messages)
        .map(([name, list]) => `${list.length} ${name}`)
        .join(", "),
    );
  });
  print(`\nRun npm test, commit, and name the commit: git tag -a v${version} -m "Faceline ${version}"`);
}

async function setVersion(version: string, stop: AbortSignal): Promise<void> {
  const { version: before } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    version: string;
  };
  const flags = ["--workspaces", "--include-workspace-root", "--no-git-tag-version", "--allow-same-version"];
  await capture("npm", ["version", version, ...flags], { cwd: repository, stop });
  for (const file of filesWithVersion) edit(file, (text) => text.replaceAll(before, version));
  // The API's document has the version of the ingress.
  await capture(process.execPath, ["ingress/openapi/write.ts"], { cwd: repository, stop });
}

function edit(file: string, change: (text: string) => string): void {
  const path = join(repository, file);
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

async function record(command: Command): ReturnType<typeof recordMessages> {
  const launch = readLaunchOptions(["--workers", "1"], process.env);
  await using servers = await openTestServers({ launch, steps: new Steps(), ...command });
  const key = readDevKey(servers.state.devKey);
  await storeKey(servers.environment, key, "dev");
  await using services = new Services(
    {
      counts: { workers: 1, batchers: 1, ingress: 1 },
      access: servers.access,
      pool: launch.POOL,
      host: "127.0.0.1",
      ports: await freePorts(1),
      threads: launch.INTRA_OP_THREADS,
      environment: { ...servers.environment, ENGINE: "model:40+2b", LOG_LEVEL: "warn" },
    },
    servers.watch,
  );
  await services.start();
  await services.waitUntilHealthy(command.stop);
  return await recordMessages(servers.environment, launch.POOL, () =>
    makeUsualCalls(services.addresses[0]!, key),
  );
}
