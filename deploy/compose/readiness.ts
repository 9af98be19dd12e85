import type { HealthResponse } from "@faceline/contracts/http/health";

/**
 * Returns what a start in containers waits for, by the response of /health; undefined once calls are served.
 */
export function missingPart(health: HealthResponse | undefined): string | undefined {
  if (health === undefined) return "the servers and the ingress";
  if (health.status === "ok") return undefined;
  const { kafka, redis, pools } = health.checks;
  if (kafka !== "ok") return "Kafka";
  if (redis !== "ok") return "the volatile Redis";
  return Object.keys(pools).length === 0 ? "a batcher" : "a worker that has loaded its models";
}
