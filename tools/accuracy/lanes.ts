import type { Face } from "@faceline/contracts/wire/face";
import { decodeEmbedding } from "@faceline/contracts/wire/face";
import { type LaneId, laneId } from "@faceline/contracts/wire/ids";
import { type Lanes, openLanes } from "@faceline/inference/engine/lanes";
import type { Pixels } from "@faceline/inference/geometry/pixels";
import { PrecisionSetting } from "@faceline/inference/network/precision";
import { oneAtATime } from "@faceline/inference/testing/lane-settings";
import { type Catalogue, readCatalogue } from "@faceline/models/catalogue";
import type { EmbeddingModel, Model } from "@faceline/models/catalogue-entry";
import { detectorsOf } from "@faceline/models/detector-choice";
import { isUnpulled } from "@faceline/models/source";
import { defaultModels } from "@faceline/runtime/models-config";

/** The defaults: recognisers are measured with this detector, and detectors with this recogniser. */
export const usual = defaultModels;

/**
 * Opens the usual lane in float and as the service runs it here, every other recogniser with the usual
 * detector, and the usual recogniser with every other detector. Models whose weights are not here are named.
 */
export async function openMeasuredLanes(modelsDir: string): Promise<MeasuredLanes> {
  const catalogue = await readCatalogue();
  const names = laneNames(catalogue, modelsDir);
  const lanes = names.map(({ model, detector }) => laneId(model, detector));
  await using opened = new AsyncDisposableStack();
  const float = opened.use(
    await openLanes({
      ...oneAtATime,
      modelsDir,
      lanes: [usual.lane],
      precision: PrecisionSetting.parse("float"),
    }),
  );
  const chosen = opened.use(await openLanes({ ...oneAtATime, modelsDir, lanes }));
  const measured = names.map(({ model, detector }): MeasuredLane => {
    const lane = laneId(model, detector);
    return measuredLane(chosen, lane, { name: lane, model: catalogue.find("embedding", model)!, detector });
  });
  const reference = measuredLane(float, lanes[0]!, {
    name: `${lanes[0]}, float`,
    model: catalogue.find("embedding", usual.model)!,
    detector: usual.detector,
  });
  const precisions = chosen.loaded.flatMap((each) => each.precisions);
  const moved = opened.move();
  return {
    all: [...measured, reference],
    usual: measured[0]!,
    reference,
    fallbacks: [...new Set(precisions.flatMap(({ deviation }) => deviation ?? []))],
    unpulled: catalogue.models.filter((model) => !isHere(model, modelsDir)).map(({ name }) => name),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

const isHere = ({ source }: Model, modelsDir: string) => !isUnpulled(modelsDir, source);

/** The usual lane comes first. */
function laneNames(catalogue: Catalogue, modelsDir: string): { model: string; detector: string }[] {
  const models = catalogue.all("embedding").filter((model) => isHere(model, modelsDir));
  const detectors = catalogue.detectors.filter((choice) =>
    detectorsOf(choice).every((model) => isHere(model, modelsDir)),
  );
  return [
    usual,
    ...models
      .filter(({ name }) => name !== usual.model)
      .map(({ name }) => ({ model: name, detector: usual.detector })),
    ...detectors
      .filter(({ name }) => name !== usual.detector)
      .map(({ name }) => ({ model: usual.model, detector: name })),
  ];
}

function measuredLane(
  lanes: Lanes,
  lane: LaneId,
  named: Pick<MeasuredLane, "name" | "model" | "detector">,
): MeasuredLane {
  const { modelVersion, precision } = lanes.loaded.find((each) => each.lane === lane)!.build;
  return {
    ...named,
    modelVersion,
    precision,
    largestFace: async (image) => {
      const { width, height } = image;
      const options = { align: true, enforceDetection: true, facesMax: 1, fullResolution: false };
      const { results, usage } = await lanes.run({
        lane,
        images: [{ ...image, originalWidth: width, originalHeight: height, options }],
      });
      const [result] = results;
      if (result?.kind !== "faces") return { face: undefined, cpuMs: usage.cpuMs };
      const { area, embedding } = result.faces[0]!;
      return { face: { area, embedding: decodeEmbedding(embedding) }, cpuMs: usage.cpuMs };
    },
  };
}

/** A lane, as the service runs it for a call that compares the largest faces. */
export type MeasuredLane = {
  name: string;
  model: EmbeddingModel;
  detector: string;
  modelVersion: string;
  precision: "float32" | "int8";
  /** `cpuMs` of detection, alignment and embedding in one thread. */
  largestFace(image: Pixels): Promise<{ face: MeasuredFace | undefined; cpuMs: number }>;
};

/** The area is in pixels of the image. */
export type MeasuredFace = { area: Face["area"]; embedding: Float32Array };

type MeasuredLanes = AsyncDisposable & {
  all: readonly MeasuredLane[];
  /** The lane that the service runs on this machine by default. */
  usual: MeasuredLane;
  /** The usual lane in float. */
  reference: MeasuredLane;
  /** Clauses that say why a model runs in float. */
  fallbacks: readonly string[];
  /** Models whose weights are not here. */
  unpulled: readonly string[];
};
