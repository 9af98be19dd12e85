import { KafkaConfig } from "@faceline/contracts/runtime/kafka";
import { VolatileRedisConfig } from "@faceline/contracts/runtime/redis";
import { PoolName } from "@faceline/contracts/wire/ids";
import * as z from "zod";
import { HttpSettings } from "./settings.ts";

export const IngressConfig = HttpSettings.safeExtend({
  ...KafkaConfig.shape,
  ...VolatileRedisConfig.shape,
  REDIS_DURABLE_URL: z.string().default("redis://127.0.0.1:6380"),
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error"]).default("info"),
  HOST: z.string().default("127.0.0.1"),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  /** The pools whose state is listened to, with commas. */
  POOLS: z
    .string()
    .default("default")
    .transform((list) => list.split(",").map((name) => name.trim()))
    .pipe(z.array(PoolName).min(1).max(64)),
  /** Bytes of images that are laid in Redis at the same time by this ingress. */
  IMAGES_IN_FLIGHT_BYTES_MAX: z.coerce
    .number()
    .int()
    .min(1)
    .default(256 * 1024 * 1024),
  /** How long calls in flight may take to end when the ingress is asked to stop. */
  DRAIN_WITHIN_MS: z.coerce.number().int().min(0).max(600_000).default(35_000),
});
export type IngressConfig = z.infer<typeof IngressConfig>;
