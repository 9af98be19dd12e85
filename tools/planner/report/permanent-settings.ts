import type { PoolSettings } from "../prediction/predict.ts";

/**
 * Returns settings of a pool for each way to run it: `npm start`, a part of a compose file, and values of
 * deploy/chart.
 */
export function permanentSettings({
  workers,
  batchMax,
  utilisationTarget,
}: PoolSettings): Record<"npmStart" | "compose" | "helm", string> {
  return {
    npmStart: `BATCH_MAX=${batchMax} UTILISATION_TARGET=${utilisationTarget} npm start -- --workers ${workers}`,
    compose: `services:
  inference:
    deploy:
      replicas: ${workers}
    environment:
      BATCH_MAX: "${batchMax}"
  batcher:
    environment:
      UTILISATION_TARGET: "${utilisationTarget}"`,
    helm: `poolDefaults:
  settings:
    batcher: { UTILISATION_TARGET: ${utilisationTarget} }
    workers: { BATCH_MAX: ${batchMax} }
  workers:
    replicas: ${workers}`,
  };
}
