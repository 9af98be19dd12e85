import * as z from "zod";
import { Problem } from "./problem.ts";

const check = (server: string) =>
  z.enum(["ok", "unavailable"]).describe(`Whether this process reaches ${server}.`);

/** State of one lane, as its pool reports it. */
export const LaneHealth = z.object({
  workers: z.int().nonnegative().describe("Live workers with this model and detector loaded."),
  waiting: z.int().nonnegative().describe("Images waiting for a worker."),
  expected_wait_ms: z
    .number()
    .nonnegative()
    .describe(
      "Expected wait of a new image for a worker, in milliseconds. Longer for a team that already has images waiting.",
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
      pools: z
        .record(z.string(), z.record(z.string(), LaneHealth))
        .describe(
          "By worker pool, then by `model/detector`. Pools without a report in the last 2 seconds, or while a " +
            "standby takes over, are absent.",
        ),
    })
    .describe("State of each dependency."),
  refusal: Problem.pick({ error: true, dependency: true, detail: true })
    .optional()
    .describe("The error of a request that needs a worker. Absent while `status` is `ok`."),
});
export type HealthResponse = z.infer<typeof HealthResponse>;
