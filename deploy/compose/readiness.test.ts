import assert from "node:assert/strict";
import test from "node:test";
import { missingPart } from "./readiness.ts";

test("the part of a start that is missing is named in the order in which parts need each other", () => {
  const health = (checks: Partial<Parameters<typeof missingPart>[0] & object>["checks"]) =>
    missingPart({ status: "degraded", version: "0.1.0", checks: checks! });
  const pools = { default: { "Dlib/ssd": { workers: 0, waiting: 0, expected_wait_ms: 0 } } };
  assert.equal(missingPart(undefined), "the servers and the ingress");
  assert.equal(
    health({ kafka: "unavailable", redis: "unavailable", redis_durable: "ok", pools: {} }),
    "Kafka",
  );
  assert.equal(
    health({ kafka: "ok", redis: "unavailable", redis_durable: "ok", pools: {} }),
    "the volatile Redis",
  );
  assert.equal(health({ kafka: "ok", redis: "ok", redis_durable: "ok", pools: {} }), "a batcher");
  const checks = { kafka: "ok", redis: "ok", redis_durable: "ok", pools } as const;
  assert.equal(health(checks), "a worker that has loaded its models");
  assert.equal(missingPart({ status: "ok", version: "0.1.0", checks }), undefined);
});
