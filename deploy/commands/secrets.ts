import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { parseOptions } from "@faceline/models/parse-options";
import { certificates, filesByService, secretFiles } from "../compose/secret-files.ts";
import { runCommand } from "../launcher/run-command.ts";

const usage = `usage: npm run secrets -- FOLDER [--production]

Writes every file of secrets that deploy/compose/compose.yaml needs, with --production those of
compose.production.yaml, and copies into a folder for each service, which is all that it sees. Passwords that
are there are kept; to change one, remove its file, run this again and restart what uses it.`;

await runCommand(usage, async ({ print }) => {
  const { values, positionals } = parseOptions({
    options: { production: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const { production } = values;
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) {
    throw new Error(usage);
  }
  const read = (name: string): string | undefined =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : undefined;
  const files = secretFiles((name) => read(name)?.trim(), { production });
  for (const name of production ? certificates : []) {
    const text = read(name);
    if (text === undefined) throw new Error(`${name} is missing from the folder: run certificates.sh first`);
    files[name] = text;
  }
  // Processes in containers read the files as users of their own. Others on this machine do not get into the
  // folder.
  process.umask(0o022);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  for (const [name, text] of Object.entries(files)) write(join(folder, name), text);
  for (const [service, names] of Object.entries(filesByService({ production }))) {
    const own = join(folder, "services", service);
    const copies = new Map(names.map((name) => [name.split("=")[0]!, files[name.split("=").at(-1)!]!]));
    for (const [name, text] of copies) write(join(own, name), text);
    for (const name of readdirSync(own)) if (!copies.has(name)) rmSync(join(own, name));
  }
  print(`${Object.keys(files).length} secret files are in the folder; the API key is in first-api-key`);
});

/** Replaces a file at once: a service that starts meanwhile reads the old text or the new one. */
function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  writeFileSync(`${path}.new`, text, { mode: 0o444 });
  renameSync(`${path}.new`, path);
}
