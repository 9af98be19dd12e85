import * as z from "zod";
import { Problem } from "./problem.ts";

const check = (server: string) =>
  z.enum(["ok", "unavailable"]).describe(`Whether this process can reach ${server}.`);

/** State of one lane, as its pool reports it. */
export const LaneHealth = z.object({
  workers: z.int().nonnegative().describe("Number of live workers that have this model and detector loaded."),
  waiting: z.int().nonnegative().describe("Number of images that are waiting for a worker."),
  expected_wait_ms: z
    .number()
    .nonnegative()
    .describe(
      "How long a new image is expected to wait for a worker, in milliseconds. The wait is longer for a team that already has images waiting.",
    ),
});

/** GET /livez and /readyz with status 200. */
export const LiveResponse = z.object({
  status: z.literal("ok").describe("Always `ok`. Otherwise the response is an error."),
});
export type LiveResponse = z.infer<typeof LiveResponse>;

/** GET /health: 200 and `ok`, or 503 and `degraded` when requests that need a worker cannot be served. */
export const HealthResponse = z.object({
  status: z
    .enum(["ok", "degraded"])
    .describe("`ok`: requests can be served. `degraded`: requests that need a worker would be rejected."),
  version: z.string().describe("Version of the service."),
  revision: z.string().optional().describe("Commit of the service, if known."),
  checks: z
    .object({
      kafka: check("Kafka"),
      redis: check("the volatile Redis"),
      redis_durable: check("the durable Redis").describe(
        "Whether this process can reach the durable Redis. Without it, only keys that were used lately are valid.",
      ),
      pools: z
        .record(z.string(), z.record(z.string(), LaneHealth))
        .describe(
          "Grouped by worker pool, then by `model/detector`. A pool is absent if it has not reported in the last 2 seconds, or while a standby takes over.",
        ),
    })
    .describe("State of each dependency."),
  refusal: Problem.pick({ error: true, dependency: true, detail: true })
    .optional()
    .describe("The error that a request that needs a worker would get. Absent while `status` is `ok`."),
});
export type HealthResponse = z.infer<typeof HealthResponse>;
