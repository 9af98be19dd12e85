import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture } from "@faceline/deploy/launcher/capture";
import { type Command, runCommand } from "@faceline/deploy/launcher/run-command";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { Steps } from "@faceline/deploy/launcher/steps";
import { releaseChangelog } from "@faceline/releases/changelog";

const usage = `usage: npm run release -- 0.2.0

Writes the version into every package and the changelog. Commits nothing.`;

/** These have the version too; npm writes it into the packages of the workspaces alone. */
const filesWithVersion = [
  "clients/typescript/package.json",
  "clients/typescript/README.md",
  "clients/python/README.md",
  "clients/python/pyproject.toml",
  "docs/using/clients.md",
  "deploy/chart/Chart.yaml",
  "deploy/compose/compose.yaml",
  "deploy/images/Dockerfile",
];

await runCommand(usage, release);

async function release({ print, stop }: Command): Promise<void> {
  const [version = ""] = process.argv.slice(2);
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(usage);
  const changes = await capture("git", ["-C", repository, "status", "--porcelain"]);
  if (changes.trim() !== "") throw new Error("Commit first: a release is made of a clean working tree.");

  const steps = Steps.sinceCommandStart();
  await steps.run("changelog", async () => {
    edit("CHANGELOG.md", (text) => releaseChangelog(text, version, new Date()));
  });
  await steps.run("versions", () => setVersion(version, stop));
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
