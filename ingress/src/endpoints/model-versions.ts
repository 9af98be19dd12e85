import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import type { Recogniser } from "@faceline/models/model-pair";
import { ApiError } from "../call/api-error.ts";
import type { EnabledModels } from "../models/enabled-models.ts";

/**
 * Returns the versions of a model that live workers run: one, and two in the middle of a rollout. Without a
 * worker, that of this process' catalogue.
 */
export function versionsOf(model: Recogniser, models: EnabledModels, pools: PoolState[]): string[] {
  const running = pools.flatMap(({ lanes }) =>
    lanes
      .filter(({ lane, workers }) => workers > 0 && lane.startsWith(`${model.name}/`))
      .flatMap(({ build }) => build?.modelVersion ?? []),
  );
  return running.length > 0 ? [...new Set(running)] : [models.catalogueVersionOf(model)];
}

/** Throws `model_not_allowed` if the vectors of a call come from weights that no worker runs. */
export function requireOfferedVersion(sent: string | undefined, versions: readonly string[]): void {
  if (sent === undefined || versions.includes(sent)) return;
  const detail = `model_version must be one of: ${versions.join(", ")}. Embeddings of another version must be computed again.`;
  throw new ApiError("model_not_allowed", detail, { field: "model_version" });
}

/** Throws `model_not_allowed` if the vectors of a call are of another version than its images. */
export function requireSameVersion(sent: string | undefined, build: LaneBuild | null): void {
  if (build !== null) requireOfferedVersion(sent, [build.modelVersion]);
}
