import { fileURLToPath } from "node:url";
import { type BuildOptions, build, stop } from "esbuild";

/** The scripts of the pages by the names under which they are served, each with its first file. */
const entries = {
  "theme.js": "browser/theme.ts",
  "code.js": "browser/code.ts",
  "contents.js": "browser/contents.ts",
  "search.js": "browser/search.ts",
  "shown-once.js": "browser/shown-once.ts",
  "tester.js": "browser/tester/main.ts",
};
export type ScriptName = keyof typeof entries;

export const scriptNames = Object.keys(entries) as ScriptName[];

/**
 * Returns each script with all that it imports, without types and as short as possible. One file for each:
 * 27 small ones compress to twice the size, and a browser learns of them in three steps.
 */
export async function bundleScripts(): Promise<Map<ScriptName, Buffer>> {
  const bundles = scriptNames.map(async (name) => {
    const entry = fileURLToPath(new URL(entries[name], import.meta.url));
    const { outputFiles } = await build({ ...options, entryPoints: [entry] });
    return [name, Buffer.from(outputFiles[0]!.contents)] as const;
  });
  try {
    return new Map(await Promise.all(bundles));
  } finally {
    await stop();
  }
}

const options = {
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2024",
  legalComments: "none",
  write: false,
} satisfies BuildOptions;
