import { KafkaConfig } from "@faceline/contracts/runtime/kafka";
import { VolatileRedisConfig } from "@faceline/contracts/runtime/redis";
import { PoolName } from "@faceline/contracts/wire/ids";
import * as z from "zod";

export const BatcherConfig = z.object({
  ...KafkaConfig.shape,
  ...VolatileRedisConfig.shape,
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error"]).default("info"),
  POOL: PoolName.default("default"),
  /** Waiting tasks of a lane; more are refused with `queue_full`. */
  LANE_WAITING_MAX: z.coerce.number().int().min(1).max(100_000).default(2_048),
  /** What the way to a worker, and the way back to the client, take beside preparing and running. */
  HOP_MS: z.coerce.number().min(0).max(1_000).default(3),
  REPLY_MS: z.coerce.number().min(0).max(1_000).default(3),
  /** How often the offset of the tasks that have ended is committed. */
  COMMIT_EVERY_MS: z.coerce.number().int().min(10).max(10_000).default(100),
  /** How often the pool's state is published, and the scheduler looks for workers that fell silent. */
  POOL_STATE_EVERY_MS: z.coerce.number().int().min(10).max(1_000).default(100),
});
export type BatcherConfig = z.infer<typeof BatcherConfig>;
