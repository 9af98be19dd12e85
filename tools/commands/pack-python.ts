import { join, relative, resolve } from "node:path";
import { runCommand } from "@faceline/deploy/launcher/run-command";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { Steps } from "@faceline/deploy/launcher/steps";
import { packPythonClient } from "./python-package.ts";

const usage = `usage: npm run pack:python -- [FOLDER]

Builds the wheel of the Python client in FOLDER, or in .faceline.`;

await runCommand(usage, async ({ print, stop }) => {
  const state = join(repository, ".faceline");
  const [folder = state] = process.argv.slice(2);
  const wheel = await packPythonClient(resolve(folder), { state, steps: new Steps(), stop });
  print(`${relative(repository, wheel)}\n\nIn your own environment: pip install ${wheel}`);
});
