import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import type { EmbeddingModel } from "@faceline/models/catalogue-entry";
import { ApiError } from "../call/api-error.ts";
import type { LoadedModels } from "../models/loaded-models.ts";

/**
 * Returns the versions of a model that live workers run: one, and two in the middle of a rollout. Without a
 * worker, that of this process' catalogue.
 */
export function versionsOf(model: EmbeddingModel, models: LoadedModels, pools: PoolState[]): string[] {
  const running = pools.flatMap(({ lanes }) =>
    lanes
      .filter(({ lane, workers }) => workers > 0 && lane.startsWith(`${model.name}/`))
      .flatMap(({ build }) => build?.modelVersion ?? []),
  );
  return running.length > 0 ? [...new Set(running)] : [models.catalogueVersionOf(model)];
}

/**
 * Throws `model_not_allowed` if the vectors of a call come from other weights than those that it is compared
 * with: `build` where a worker embedded an image of the call, otherwise the given versions.
 */
export function requireModelVersion(
  sent: string | undefined,
  versions: readonly string[],
  build: LaneBuild | null = null,
): void {
  const allowed = build === null ? versions : [build.modelVersion];
  if (sent === undefined || allowed.includes(sent)) return;
  const detail = `model_version must be one of: ${allowed.join(", ")}. Embeddings of another version must be computed again.`;
  throw new ApiError("model_not_allowed", detail, { field: "model_version" });
}
