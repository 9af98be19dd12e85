import * as z from "zod";

const Check = z.enum(["ok", "unavailable"]);

/** State of one lane, as its pool reports it. */
export const LaneHealth = z.object({
  workers: z.int().nonnegative(),
  waiting: z.int().nonnegative(),
  expected_wait_ms: z.number().nonnegative(),
});

/** GET /livez and /readyz with status 200. */
export const LiveReply = z.object({ status: z.literal("ok") });
export type LiveReply = z.infer<typeof LiveReply>;

/** GET /health: 200 and `ok`, or 503 and `degraded` when compute calls cannot be served. */
export const HealthReply = z.object({
  status: z.enum(["ok", "degraded"]),
  version: z.string(),
  checks: z.object({
    kafka: Check,
    redis: Check,
    /** By pool, then by lane. Without pools that have published nothing for 2 s. */
    pools: z.record(z.string(), z.record(z.string(), LaneHealth)),
  }),
});
export type HealthReply = z.infer<typeof HealthReply>;
