import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

/** The scripts of the pages by the names under which they are served, each with its first file. */
export const scriptEntries = {
  "theme.js": "browser/theme.ts",
  "code.js": "browser/code.ts",
  "docs.js": "browser/docs.ts",
  "shown-once.js": "browser/shown-once.ts",
  "locale.js": "browser/locale.ts",
  "tester.js": "browser/tester/main.ts",
};
export type ScriptName = keyof typeof scriptEntries;

export const scriptNames = Object.keys(scriptEntries) as ScriptName[];

/** Folder into which `web/build.ts` writes the bundles. */
export const bundlesFolder = new URL("../dist/", import.meta.url);
/** Holds the SHA-256 of each file that the bundles are made of, by its path in the repository. */
export const sourcesFile = new URL("sources.json", bundlesFolder);
export const repository = new URL("../../", import.meta.url);

/** Returns the bundle of each script. Throws as `checkScripts` does. */
export async function readScripts(): Promise<Map<ScriptName, Buffer>> {
  await checkScripts();
  const bundles = scriptNames.map(
    async (name) => [name, await readFile(new URL(name, bundlesFolder))] as const,
  );
  return new Map(await Promise.all(bundles));
}

/** Throws a sentence that says what to do, unless the bundles are there and made of today's files. */
export async function checkScripts(file: URL = sourcesFile): Promise<void> {
  const built = await readFile(file, "utf8").catch(() => undefined);
  if (built === undefined) throw new Error(`The scripts of the pages are not built: ${buildThem}`);
  const sources = JSON.parse(built) as Record<string, string>;
  const changed = await Promise.all(
    Object.entries(sources).map(async ([path, sha256]) => (await sha256Of(path)) !== sha256),
  );
  if (changed.includes(true))
    throw new Error(`The scripts of the pages are older than their files: ${buildThem}`);
}

/** Returns the SHA-256 of a file of the repository; "" if it is not there. */
export async function sha256Of(path: string): Promise<string> {
  const content = await readFile(new URL(path, repository)).catch(() => undefined);
  return content === undefined ? "" : createHash("sha256").update(content).digest("hex");
}

const buildThem = "run `node web/build.ts`, or `npm start`, which does.";
