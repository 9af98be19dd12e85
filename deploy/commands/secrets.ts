import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { secretFiles } from "../compose/secret-files.ts";

// `npm run secrets -- FOLDER`, and in containers the service `secrets`: writes every file of secrets that
// deploy/compose/compose.yaml mounts, and with --production those of compose.production.yaml. Passwords that
// are there are kept; to change one, remove its file, run this again and restart what uses it.

const [folder, ...more] = process.argv.slice(2);
const production = more.includes("--production");
if (folder === undefined || more.length > Number(production)) {
  console.error("usage: npm run secrets -- FOLDER [--production]");
  process.exitCode = 2;
} else {
  // Processes in containers read the files as users of their own. Others on this machine do not get into the
  // folder.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const present = (name: string): string | undefined =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8").trim() : undefined;
  const files = secretFiles(present, { production });
  for (const [name, text] of Object.entries(files)) {
    rmSync(join(folder, name), { force: true });
    writeFileSync(join(folder, name), text, { mode: 0o444 });
  }
  console.log(
    `${Object.keys(files).length} files of secrets are in the folder; the API key is in first-api-key`,
  );
}
