import { join, relative, resolve } from "node:path";
import { runCommand } from "@faceline/deploy/launcher/run-command";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { packClient } from "./client-package.ts";

const usage = `usage: npm run pack:client -- [FOLDER]

Packs @faceline/client into FOLDER, or into .faceline.`;

await runCommand(usage, async ({ print }) => {
  const [folder = join(repository, ".faceline")] = process.argv.slice(2);
  const tarball = await packClient(resolve(folder));
  print(`${relative(repository, tarball)}\n\nIn your own project: npm install ${tarball}`);
});
