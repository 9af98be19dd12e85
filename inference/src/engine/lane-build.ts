import { createHash } from "node:crypto";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import { alignmentVersion, computationOf, modelVersionOf } from "@faceline/models/model-version";
import * as ort from "@faceline/models/onnxruntime";
import { defaultImageLimits } from "../decode/image.ts";
import type { LoadedModel } from "../network/model-loader.ts";
import { type LaneModels, networkModels } from "./lane-models.ts";

/**
 * Names what runs in a lane. The digest is over everything that changes an embedding's numbers: the entries
 * and files of all networks, their precisions, the alignment, the size of decoded images, the execution
 * provider and the version of onnxruntime.
 */
export function laneBuildOf(
  models: LaneModels,
  networks: readonly Pick<LoadedModel, "precision" | "sha256s">[],
  { executionProvider }: { executionProvider: string },
): LaneBuild {
  const files = networks.map(({ precision, sha256s }) => [precision.model, precision.precision, ...sha256s]);
  const { name } = models.recogniser;
  const { precision } = networks.find(({ precision: { model } }) => model === name)!.precision;
  const engine = [ort.env.versions.node, executionProvider, defaultImageLimits.longSideMaxPx, files];
  return buildOf(models, precision, engine);
}

/** The build of a lane whose runs only wait. */
export const modelledBuildOf = (models: LaneModels, executionProvider: string): LaneBuild =>
  buildOf(models, "float32", [models.lane, executionProvider]);

function buildOf(models: LaneModels, precision: LaneBuild["precision"], engine: unknown): LaneBuild {
  const { recogniser, landmarks } = models;
  const entries = networkModels(models).map(computationOf);
  const parts = JSON.stringify([engine, alignmentVersion, entries]);
  return {
    digest: createHash("sha256").update(parts).digest("hex").slice(0, 16),
    modelVersion: modelVersionOf(recogniser, landmarks),
    precision,
  };
}
