import { PoolName } from "@faceline/contracts/wire/ids";
import { KafkaConfig } from "@faceline/runtime/kafka";
import { OperatorsConfig } from "@faceline/runtime/operators/config";
import { TopicsConfig } from "@faceline/runtime/pool-topics";
import { VolatileRedisConfig } from "@faceline/runtime/redis";
import { ServiceConfig } from "@faceline/runtime/service";
import * as z from "zod";

export const BatcherConfig = z.object({
  ...KafkaConfig.shape,
  ...TopicsConfig.shape,
  ...VolatileRedisConfig.shape,
  ...OperatorsConfig.shape,
  ...ServiceConfig.shape,
  POOL: PoolName.default("default"),
  /** Waiting tasks of a lane; more are refused with `queue_full`. */
  LANE_WAITING_MAX: z.coerce.number().int().min(1).max(100_000).default(2_048),
  /**
   * The share of several workers' time that may go to batches that are just large enough for the arrivals.
   * Lower: larger batches, longer waits, more headroom for bursts.
   */
  UTILISATION_TARGET: z.coerce.number().min(0.3).max(1).default(0.85),
});
export type BatcherConfig = z.infer<typeof BatcherConfig>;
