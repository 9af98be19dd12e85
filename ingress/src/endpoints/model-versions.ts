import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import type { EmbeddingModel } from "@faceline/models/catalogue-entry";
import { ApiError } from "../call/api-error.ts";
import type { EnabledModels, SelectedModels } from "../models/enabled-models.ts";

/**
 * Returns the versions of a model that live workers run: one, or two during a rollout. Without a worker, that
 * of this process' catalogue.
 */
export function versionsOf(model: EmbeddingModel, models: EnabledModels, pools: PoolState[]): string[] {
  const running = pools.flatMap(({ lanes }) =>
    lanes
      .filter(({ lane, workers }) => workers > 0 && lane.startsWith(`${model.name}/`))
      .flatMap(({ build }) => build?.modelVersion ?? []),
  );
  return running.length > 0 ? [...new Set(running)] : [models.catalogueVersionOf(model)];
}

/**
 * Returns the models of a request. The version of its vectors names a model too, so that stored vectors
 * outlive a change of the default. Throws `model_not_allowed` if no worker runs that version, or if it
 * belongs to another model than the one named.
 */
export function selectByVersion(
  models: EnabledModels,
  pools: PoolState[],
  fields: Parameters<EnabledModels["select"]>[0] & { model_version?: string | undefined },
): SelectedModels {
  const { model_version: sent, model_name } = fields;
  if (sent === undefined) return models.select(fields);
  const named = model_name === undefined ? models.embeddingModels : [models.select(fields).model];
  const offered = named.map((model) => ({ name: model.name, versions: versionsOf(model, models, pools) }));
  const owner = offered.find(({ versions }) => versions.includes(sent));
  if (owner !== undefined) return models.select({ ...fields, model_name: owner.name });
  throw versionError(offered.flatMap(({ name, versions }) => versions.map((each) => `${each} (${name})`)));
}

/** Throws `model_not_allowed` if the vectors of a call are of another version than its images. */
export function requireSameVersion(sent: string | undefined, build: LaneBuild | null): void {
  if (build !== null && sent !== undefined && sent !== build.modelVersion)
    throw versionError([build.modelVersion]);
}

const versionError = (offered: string[]): ApiError =>
  new ApiError(
    "model_not_allowed",
    `model_version must be one of: ${offered.join(", ")}. Embeddings of another version must be computed again.`,
    { field: "model_version" },
  );
