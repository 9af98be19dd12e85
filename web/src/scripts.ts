import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin, stop } from "esbuild";

/** The scripts of the pages by the names under which they are served, each with its first file. */
const entries = {
  "theme.js": "browser/theme.ts",
  "code.js": "browser/code.ts",
  "docs.js": "browser/docs.ts",
  "shown-once.js": "browser/shown-once.ts",
  "locale.js": "browser/locale.ts",
  // With words: one for each language.
  "tester.en.js": "browser/tester/main.ts",
  "tester.de.js": "browser/tester/main.ts",
  "tester.es.js": "browser/tester/main.ts",
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
    const [, language = "en"] = /\.(\w+)\.js$/.exec(name) ?? [];
    const plugins = [withWords(language)];
    const { outputFiles } = await build({ ...options, plugins, entryPoints: [entry] });
    return [name, Buffer.from(outputFiles[0]!.contents)] as const;
  });
  try {
    return new Map(await Promise.all(bundles));
  } finally {
    await stop();
  }
}

/** Bundles the words of a language wherever a script imports the English ones. */
const withWords = (language: string): Plugin => ({
  name: "words",
  setup(build) {
    build.onResolve({ filter: /\/words\/tester-en\.ts$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, dirname(path), `tester-${language}.ts`),
    }));
  },
});

const options = {
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2024",
  legalComments: "none",
  write: false,
} satisfies BuildOptions;
