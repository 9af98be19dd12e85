import * as z from "zod";
import { Problem } from "./problem.ts";

const check = (server: string) =>
  z
    .enum(["ok", "unavailable"])
    .describe(`\`ok\`: ${server} answers the process that replies. \`unavailable\`: it does not.`);

/** State of one lane, as its pool reports it. */
export const LaneHealth = z.object({
  workers: z.int().nonnegative().describe("Live workers that have the model and the detector loaded."),
  waiting: z.int().nonnegative().describe("Images that wait for a worker."),
  expected_wait_ms: z
    .number()
    .nonnegative()
    .describe(
      "How long an image that arrives now is expected to wait for a worker, in milliseconds. Of a team with " +
        "waiting images it may wait longer.",
    ),
});

/** GET /livez and /readyz with status 200. */
export const LiveResponse = z.object({
  status: z.literal("ok").describe("Always `ok`; else the reply is an error."),
});
export type LiveResponse = z.infer<typeof LiveResponse>;

/** GET /health: 200 and `ok`, or 503 and `degraded` when compute calls cannot be served. */
export const HealthResponse = z.object({
  status: z
    .enum(["ok", "degraded"])
    .describe("`ok`: a call could be served now. `degraded`: a call that needs a worker would be refused."),
  version: z.string().describe("Version of the service."),
  revision: z.string().optional().describe("Commit of the service, if it is known."),
  checks: z
    .object({
      kafka: check("Kafka"),
      redis: check("the volatile Redis"),
      pools: z
        .record(z.string(), z.record(z.string(), LaneHealth))
        .describe(
          "By name of the pool of workers, then by `model/detector`. A pool whose batcher has published " +
            "nothing for 2 s is left out, or for as long as its standby needs to take over.",
        ),
    })
    .describe("State of each part that a call needs."),
  refusal: Problem.pick({ error: true, dependency: true, detail: true })
    .optional()
    .describe("How a call that needs a worker would be refused. Absent while `status` is `ok`."),
});
export type HealthResponse = z.infer<typeof HealthResponse>;
