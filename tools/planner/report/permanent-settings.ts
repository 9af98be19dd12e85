import type { PoolSettings } from "../prediction/predict.ts";
import { workersText } from "./words.ts";

/**
 * Returns settings of a pool in the forms that outlast a restart: `npm start`, environment variables with the
 * service that reads each, a part of a compose file, and values of deploy/chart.
 */
export function permanentSettings({
  workers,
  batchMax,
  utilisationTarget,
}: PoolSettings): Record<"npmStart" | "environment" | "compose" | "helm", string> {
  return {
    npmStart: `BATCH_MAX=${batchMax} UTILISATION_TARGET=${utilisationTarget} npm start -- --workers ${workers}`,
    environment: `# ${workersText(workers)}
BATCH_MAX=${batchMax}  # inference
UTILISATION_TARGET=${utilisationTarget}  # batcher`,
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
