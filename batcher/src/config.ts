import { PoolName } from "@faceline/contracts/wire/ids";
import { KafkaConfig } from "@faceline/runtime/kafka";
import { MetricsConfig } from "@faceline/runtime/metrics/config";
import { OperatorsConfig } from "@faceline/runtime/operators/config";
import { settingBounds } from "@faceline/runtime/operators/pool-settings";
import { VolatileRedisConfig } from "@faceline/runtime/redis";
import { ServiceConfig } from "@faceline/runtime/service";
import { TracingConfig } from "@faceline/runtime/tracing/config";
import * as z from "zod";

const { laneWaitingMax, utilisationTarget } = settingBounds;

export const BatcherConfig = z.object({
  ...KafkaConfig.shape,
  ...VolatileRedisConfig.shape,
  ...TracingConfig.shape,
  ...MetricsConfig.shape,
  ...OperatorsConfig.shape,
  ...ServiceConfig.shape,
  POOL: PoolName.default("default"),
  /** Waiting tasks of a lane; more are refused with `queue_full`. */
  LANE_WAITING_MAX: z.coerce.number().int().min(laneWaitingMax.min).max(laneWaitingMax.max).default(2_048),
  /**
   * The share of several workers' time that batches may take which are just large enough for the arrivals.
   * Lower: larger batches, longer waits, more reserve for bursts.
   */
  UTILISATION_TARGET: z.coerce.number().min(utilisationTarget.min).max(utilisationTarget.max).default(0.85),
  /** First guess of the time from a batcher to a worker and back; it is measured then. */
  HOP_MS: z.coerce.number().min(0).max(1_000).default(3),
  /** First guess of the time from the end of a run to the client; it is measured then. */
  REPLY_MS: z.coerce.number().min(0).max(1_000).default(3),
  /** JSON of answers that Redis did not take and that are tried again. More are not. */
  ANSWERS_RETRIED_BYTES_MAX: z.coerce.number().int().min(65_536).default(16_777_216),
  /** How soon the offset of tasks that have ended is committed. */
  COMMIT_EVERY_MS: z.coerce.number().int().min(10).max(10_000).default(100),
  /** How often the pool's state is published if it has changed. */
  POOL_STATE_EVERY_MS: z.coerce.number().int().min(10).max(1_000).default(100),
});
export type BatcherConfig = z.infer<typeof BatcherConfig>;
