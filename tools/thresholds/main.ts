import { availableParallelism } from "node:os";
import { type LaneId, laneId } from "@faceline/contracts/wire/ids";
import { CommandOutput } from "@faceline/runtime/command-output";
import { defaultImageLimits } from "@faceline/inference/decode/image";
import { openEngine } from "@faceline/inference/engine/engine";
import { executionProviders } from "@faceline/inference/network/execution-provider";
import { PrecisionSetting } from "@faceline/inference/network/precision";
import { addedFolder, type Catalogue, readCatalogue } from "@faceline/models/catalogue";
import type { EmbeddingModel, Model } from "@faceline/models/catalogue-entry";
import {
  removeLocalThresholds,
  withLocalThresholds,
  writeLocalThresholds,
} from "@faceline/models/local-thresholds";
import { detectorsOf } from "@faceline/models/detector-choice";
import { isUnpulled } from "@faceline/models/source";
import { readConfig } from "@faceline/runtime/config";
import * as z from "zod";
import { allNames, type MeasureArguments, readArguments } from "./arguments.ts";
import { openDataset } from "./dataset.ts";
import { embedImages } from "./measure.ts";
import { measuredThresholds } from "./measured-thresholds.ts";
import { type LaneReport, laneReport } from "./report/report.ts";
import { textReport } from "./report/text.ts";

// npm run models -- thresholds --pairs CSV | --people DIR …
//
// Measures error rates and proposes thresholds on images of known people. Embeddings stay in memory.
// deploy/commands/models.ts starts it.

/** Settings of the engine, from the same environment variables as in a worker. */
const EngineSettings = z.object({
  EXECUTION_PROVIDER: z.enum(executionProviders).default("cpu"),
  PRECISION: PrecisionSetting.prefault("auto"),
});

process.exitCode = await main(process.argv.slice(2));

/** Returns the exit code: 0 for success, 1 for a fault, 2 for wrong arguments. */
async function main(args: readonly string[]): Promise<number> {
  const call = readArguments(args);
  if ("mistake" in call) {
    console.error(`${call.mistake}\nnpm run models -- --help shows the usage.`);
    return 2;
  }
  try {
    if (call.kind === "remove") await remove(call);
    else await measure(call);
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
}

async function measure(call: MeasureArguments): Promise<void> {
  const settings = readConfig(EngineSettings, process.env);
  const dataset = await openDataset(call.source);
  const entries = await readCatalogue(undefined, addedFolder(call.folder));
  const catalogue = await withLocalThresholds(entries, call.folder);
  const lanes = lanesOf(catalogue, call);
  if (call.write && lanes.length !== 1) {
    throw new Error(
      "--write takes one --model and one --detector: a model has one threshold for all detectors",
    );
  }
  const laneIds = lanes.map(({ lane }) => lane);
  await using engine = await openEngine({
    lanes: laneIds,
    modelsDir: call.folder,
    batchMax: 1,
    detectorChunkMax: 1,
    faceChunkMax: 2,
    intraOpThreads: availableParallelism(),
    executionProvider: settings.EXECUTION_PROVIDER,
    precision: settings.PRECISION,
    modelled: undefined,
  });
  const precisions = engine.lanes.flatMap((each) => each.precisions);
  for (const each of new Set(precisions.flatMap(({ deviation }) => deviation ?? []))) console.error(each);
  const faces = await embedImages(dataset.images, {
    engine,
    lanes: laneIds,
    folder: dataset.folder,
    align: call.align,
    limits: defaultImageLimits,
    progress: progressLine("images"),
  });
  const reports: LaneReport[] = [];
  for (const [index, { lane, model }] of lanes.entries()) {
    const sample = dataset.sample(faces[index]!, { model, progress: progressLine("people compared") });
    const report = laneReport(sample, { model, wantedFmrs: call.wantedFmrs });
    reports.push(report);
    const title = `${lane}, align ${call.align ? "on" : "off"}, ${dataset.name}`;
    console.log(`${index === 0 ? "" : "\n"}${textReport(report, title).join("\n")}`);
  }
  if (call.write) {
    await write(catalogue, { report: reports[0]!, model: lanes[0]!.model, folder: call.folder });
  }
}

/** Stores the proposed thresholds. Throws one sentence if one of them is refused. */
async function write(
  catalogue: Catalogue,
  { report, model, folder }: { report: LaneReport; model: EmbeddingModel; folder: string },
): Promise<void> {
  const measured = measuredThresholds(report, new Date());
  if (measured === undefined) {
    throw new Error("\nNothing was written: the pairs cannot show this FMR for every metric.");
  }
  const path = await writeLocalThresholds(catalogue, model, { ...measured, modelsDir: folder });
  console.log(`\nWritten: ${path}`);
  console.log("Ingresses with this MODELS_DIR use it from their next start on.");
  console.log(`Undo it with: npm run models -- thresholds --remove ${model.name}`);
}

async function remove({ model, folder }: { model: string; folder: string }): Promise<void> {
  const path = await removeLocalThresholds(folder, model);
  if (path === undefined) throw new Error(`${model} has no local thresholds in ${folder}`);
  console.log(`Removed: ${path}`);
  console.log("Ingresses use the thresholds of the catalogue from their next start on.");
}

/** Every pair of the models and detectors of the call. Throws one sentence for names that are not there. */
function lanesOf(catalogue: Catalogue, { models, detectors, folder }: MeasureArguments): Lane[] {
  const isHere = ({ source }: Model) => !isUnpulled(folder, source);
  const known = catalogue.all("embedding");
  const here = known.filter(isHere);
  const recognisers = named("embedding", { known, here }, models);
  const all = catalogue.detectors;
  const detectorsHere = all.filter((choice) => detectorsOf(choice).every(isHere));
  const chosen = named("detector", { known: all, here: detectorsHere }, detectors);
  return recognisers.flatMap((model) =>
    chosen.map((detector) => ({ lane: laneId(model.name, detector.name), model })),
  );
}

function named<M extends { name: string }>(
  role: string,
  { known, here }: { known: readonly M[]; here: readonly M[] },
  names: readonly string[],
): readonly M[] {
  if (names.includes(allNames)) return here;
  return names.map((name) => {
    const model = known.find((each) => each.name === name);
    if (model !== undefined) return model;
    const list = [...known.map((each) => each.name), allNames].join(", ");
    throw new Error(`the catalogue has no ${role} model ${name}; there are ${list}`);
  });
}

/** Returns what shows how far a part of the run is, and for how long it will continue. */
function progressLine(what: string): (done: number, of: number) => void {
  const output = new CommandOutput(process.stderr);
  const startedAt = performance.now();
  return (done, of) => {
    const minutesLeft = (((performance.now() - startedAt) / done) * (of - done)) / 60_000;
    const left = minutesLeft < 1 ? "less than a minute" : `about ${Math.ceil(minutesLeft)} min`;
    output.showProgress(done === of ? "" : `${done} of ${of} ${what}, ${left} left`);
  };
}

type Lane = { lane: LaneId; model: EmbeddingModel };
