import * as z from "zod";

const Check = z.enum(["ok", "unavailable"]);

/** What a pool says of one of its lanes. */
export const LaneHealth = z.object({
  workers: z.int().nonnegative(),
  waiting: z.int().nonnegative(),
  expected_wait_ms: z.number().nonnegative(),
});

/** GET /livez and /readyz, where they are well. */
export const LiveReply = z.object({ status: z.literal("ok") });
export type LiveReply = z.infer<typeof LiveReply>;

/** GET /health: 200 and `ok`, or 503 and `degraded` when a compute call could not be served. */
export const HealthReply = z.object({
  status: z.enum(["ok", "degraded"]),
  version: z.string(),
  checks: z.object({
    kafka: Check,
    redis: Check,
    /** By pool, then by lane. A pool that has been silent for 2 s is not there. */
    pools: z.record(z.string(), z.record(z.string(), LaneHealth)),
  }),
});
export type HealthReply = z.infer<typeof HealthReply>;
