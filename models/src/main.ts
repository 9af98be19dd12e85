import { buildModel } from "./build.ts";
import { addedFolder, readCatalogue } from "./catalogue.ts";
import type { Model } from "./catalogue-entry.ts";
import { type ModelsCall, readCommandLine } from "./command-line.ts";
import { checkWithin } from "./contract/bounded-check.ts";
import { readOnnxFile } from "./contract/onnx-file.ts";
import { readContract } from "./contract/read-contract.ts";
import { runGpu } from "./gpu/gpu-command.ts";
import { listLines } from "./list.ts";
import { megabytes } from "./megabytes.ts";
import { runPull } from "./pull/pull-command.ts";
import { removeModel } from "./remove.ts";
import { isUnpulled } from "./source.ts";
import { verifyModel } from "./verify.ts";

const usage = `usage: npm run models -- <verb> [--to DIR]
       npm run models -- pull NAME… [--from FOLDER] [--accept-licence] [--to DIR]
       npm run models -- add FILE --contract JSON [--max-megabytes N] [--to DIR]
       npm run models -- gpu [--list | --verify | --remove] [--from FOLDER] [--accept-licence] [--to DIR]
       npm run models -- remove NAME [--to DIR]
       npm run models -- thresholds --pairs CSV | --people FOLDER [--model NAME]
                                    [--detector NAME] [--align on|off] [--fmr RATE] [--write] [--to DIR]
       npm run models -- thresholds --remove NAME [--to DIR]

  build    build the missing .onnx files of all models whose weights are installed
  verify   check the weights and the built files against the catalogue, and run added models once
  list     show the catalogue, built and pulled models, and accepted licences
  pull     show the licences of models that do not ship with Faceline, ask for acceptance, then fetch and build
           them; --accept-licence accepts without asking; --from takes the files from a folder
  add      check your own recogniser or detector (.onnx) against its contract, and add it to this installation;
           docs/developing/adding-a-model.md describes contracts
  gpu      show the licences of the CUDA libraries for EXECUTION_PROVIDER=cuda, ask for acceptance, then fetch
           them with pip: 1.3 GB, 2.1 GB unpacked; --list shows them, --verify checks them,
           --remove deletes them; --from takes the wheels from a folder
  remove   delete a pulled or added model: its files and licence record, and for an added one also its entry
           and thresholds
  thresholds
           measure error rates on images of known people, and propose thresholds for a false match rate,
           --fmr 0.1%, from labelled pairs, or all pairs in a folder with one folder per person; see
           docs/operating/models.md. --model, --detector and --fmr can be repeated; names can be "all";
           --write stores the thresholds for one rate, which ingresses use after a restart; --remove deletes
           them

DIR is the folder of built files, by default .faceline/models.
N is the largest file to read, by default 600 MB.`;

const verbs: Readonly<Record<ModelsCall["verb"], (call: Call) => Promise<boolean>>> = {
  build,
  verify,
  list,
  pull,
  add,
  gpu: ({ folder, gpuAction, flags, from }) => runGpu(folder, { action: gpuAction, flags, from }),
  remove,
};

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));

/** Returns the exit code: 0 for success, 1 for a fault, 2 for wrong arguments. */
export async function main(argv: string[]): Promise<number> {
  const call = readCommandLine(argv);
  if (call === "help") {
    console.log(usage);
    return 0;
  }
  if (typeof call === "string") {
    console.error(call === "" ? usage : `${call}\n\n${usage}`);
    return 2;
  }
  try {
    const { models } = await readCatalogue(undefined, addedFolder(call.folder));
    return (await verbs[call.verb]({ ...call, models })) ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
}

async function build({ models, folder }: Pick<Call, "models" | "folder">): Promise<boolean> {
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

async function pull(call: Call): Promise<boolean> {
  return build({ ...call, models: await runPull(call.folder, call.models, call) });
}

async function add({ folder, names, contract, bytesMax }: Call): Promise<boolean> {
  const stated = await readContract(contract!);
  const onnx = await readOnnxFile(names[0]!, bytesMax);
  // Loads onnxruntime, which nothing else here needs.
  const { addModel } = await import("./contract/add.ts");
  const { name, role } = await addModel(folder, onnx, stated, checkWithin, console.log).catch(
    (cause: unknown) => {
      throw new Error(`${names[0]} was not added: ${(cause as Error).message}`, { cause });
    },
  );
  console.log(
    `added ${name}; ${role === "detector" ? "DETECTORS" : "MODELS"} of the workers and ingresses turns it on`,
  );
  return true;
}

async function remove({ folder, names, models }: Call): Promise<boolean> {
  const [name = ""] = names;
  for (const path of await removeModel(folder, models, name)) console.log(`removed ${path}`);
  console.log(
    `Take ${name} out of MODELS and DETECTORS: services whose settings name it do not start again.`,
  );
  return true;
}

type Call = ModelsCall & { models: readonly Model[] };
