import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";
import {
  bundlesFolder,
  checkScripts,
  repository,
  scriptEntries,
  sha256Of,
  sourcesFile,
} from "./src/scripts.ts";

// Bundles what browsers run, unless that was done: for `npm start`, the tests and the images. Each script
// becomes one file with all that it imports: 27 small ones compress to twice the size, and a browser learns
// of them in three steps.

/** The page brings the words of its language: see tester/words.ts. */
const withoutWords: Plugin = {
  name: "without words",
  setup: ({ onLoad }) => onLoad({ filter: /\.json$/ }, () => ({ contents: "{}", loader: "json" })),
};

const isBuilt = await checkScripts().then(
  () => true,
  () => false,
);
if (!isBuilt) {
  // The standalone image has the scripts, and no esbuild.
  const { build } = await import("esbuild");
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(repository),
    entryPoints: Object.entries(scriptEntries).map(([name, file]) => ({
      in: `web/src/${file}`,
      out: name.replace(/\.js$/, ""),
    })),
    outdir: fileURLToPath(bundlesFolder),
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2024",
    legalComments: "none",
    // The image build has none; the types were checked before.
    tsconfigRaw: {},
    plugins: [withoutWords],
    metafile: true,
  });
  const bundled = Object.keys(metafile.inputs).filter((path) => !path.endsWith(".json"));
  const paths = [...bundled, "web/build.ts", "web/src/scripts.ts"];
  const sources = await Promise.all(paths.map(async (path) => [path, await sha256Of(path)] as const));
  await mkdir(bundlesFolder, { recursive: true });
  await writeFile(sourcesFile, JSON.stringify(Object.fromEntries(sources), null, 1));
}
