import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildModel } from "./build.ts";
import { licenseOf, readCatalogue } from "./catalogue.ts";
import type { Model } from "./catalogue-entry.ts";
import { modelsFolder } from "./model-file.ts";
import { verifyModel } from "./verify.ts";

const usage = `usage: npm run models -- <verb> [--to DIR]
       npm run models -- calibrate [PICTURES] [--write]
       npm run models -- enabled | enable NAME | disable NAME | default NAME

  build    make the .onnx files that are not built yet
  verify   check the weights and the built files against the catalogue
  list     show the catalogue
  calibrate
           show how many numbers the int8 builds clip, on the faces of a folder of pictures;
           with --write, store new ranges and checksums in the catalogue
           (inference/calibrate, which deploy/commands/models.ts starts)

  enabled  show the models and detectors that the running ingresses have loaded and enabled
  enable, disable
           let calls use a model or detector of these, or refuse them; every ingress follows at once
  default  make it the one of calls that name none

DIR is the folder of built files; its default is .faceline/models.
PICTURES defaults to those that come with the weights.`;

const verbs: Readonly<Record<string, (models: readonly Model[], folder: string) => Promise<boolean>>> = {
  build,
  verify,
  list: async (models) => list(models),
};

process.exitCode = await main(process.argv.slice(2));

/** Returns the exit code: 0 for success, 1 for a fault, 2 for wrong arguments. */
async function main(argv: string[]): Promise<number> {
  const call = readCall(argv);
  if (call === "help") {
    console.log(usage);
    return 0;
  }
  if (typeof call === "string") {
    console.error(call === "" ? usage : `${call}\n\n${usage}`);
    return 2;
  }
  try {
    const { models } = await readCatalogue();
    return (await call.run(models, call.folder)) ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
}

/** Returns what to run and where, `help`, or a sentence on what is wrong with the arguments. */
function readCall(argv: string[]) {
  try {
    const options = {
      to: { type: "string", default: modelsFolder },
      help: { type: "boolean", default: false },
    } as const;
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true });
    if (values.help) return "help";
    const [verb = "", ...more] = positionals;
    if (verb === "") return "";
    const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (run === undefined) return `unknown verb: ${verb}`;
    if (more.length > 0) return `unexpected arguments: ${more.join(" ")}`;
    return { run, folder: resolve(values.to) };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function build(models: readonly Model[], folder: string): Promise<boolean> {
  for (const model of models) {
    for (const build of model.builds) {
      const startedAt = performance.now();
      const done = await buildModel(folder, model, build);
      const tookMs = Math.round(performance.now() - startedAt);
      console.log(`${done}  ${build.file.padEnd(26)} ${megabytes(build.bytes)}  ${tookMs} ms`);
    }
  }
  return true;
}

async function verify(models: readonly Model[], folder: string): Promise<boolean> {
  const faults: string[] = [];
  for (const model of models) faults.push(...(await verifyModel(folder, model)));
  for (const fault of faults) console.error(fault);
  if (faults.length === 0) console.log(`${models.length} models match the catalogue`);
  return faults.length === 0;
}

function list(models: readonly Model[]): boolean {
  const rows = models.flatMap((model) =>
    model.builds.map((build) => [
      model.name,
      model.role,
      build.precision,
      megabytes(build.bytes),
      build.sha256.slice(0, 12),
      licenseOf(model),
    ]),
  );
  const table = [["name", "role", "precision", "size", "sha256", "license"], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  for (const row of table)
    console.log(
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join("  ")
        .trimEnd(),
    );
  return true;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1).padStart(4)} MB`;
}
