import { createHash } from "node:crypto";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import { modelVersionOf } from "@faceline/models/model-version";
import * as ort from "@faceline/models/onnxruntime";
import type { LoadedModel } from "../network/model-loader.ts";
import type { LaneModels } from "./lane-models.ts";

/**
 * Names what runs in a lane. The digest is over everything that changes an embedding's numbers: the files of
 * all networks, their precisions, the execution provider and the version of onnxruntime.
 */
export function laneBuildOf(models: LaneModels, loaded: LoadedParts, executionProvider: string): LaneBuild {
  const parts = [loaded.detector, loaded.landmarks, ...loaded.members].map(({ precision, sha256s }) => [
    precision.model,
    precision.precision,
    ...sha256s,
  ]);
  const pairWeights = models.recogniser.role === "pair" ? [models.recogniser.weights] : [];
  const isInt8 = loaded.members.some(({ precision }) => precision.precision === "int8");
  return {
    digest: digestOf([ort.env.versions.node, executionProvider, parts, ...pairWeights]),
    modelVersion: modelVersionOf(models.recogniser, models.landmarks),
    precision: isInt8 ? "int8" : "float32",
  };
}

/** The build of a lane whose runs only wait. */
export function modelledBuildOf(models: LaneModels, executionProvider: string): LaneBuild {
  return {
    digest: digestOf([models.lane, executionProvider]),
    modelVersion: modelVersionOf(models.recogniser, models.landmarks),
    precision: "float32",
  };
}

function digestOf(parts: unknown): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

type LoadedParts = Record<"detector" | "landmarks", LoadedModel> & { members: readonly LoadedModel[] };
