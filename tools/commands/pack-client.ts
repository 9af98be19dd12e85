import { join, relative, resolve } from "node:path";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { packClient } from "./client-package.ts";

// `npm run pack:client -- [FOLDER]`: packs @faceline/client into FOLDER, or into .faceline.

const [folder = join(repository, ".faceline")] = process.argv.slice(2);
try {
  const tarball = await packClient(resolve(folder));
  console.log(`${relative(repository, tarball)}\n\nIn your own project: npm install ${tarball}`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
