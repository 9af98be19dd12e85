import assert from "node:assert/strict";
import { test } from "node:test";
import { Steps } from "./steps.ts";

test("steps may run beside each other, and one that fails has a cross", async () => {
  const lines: string[] = [];
  const output = { print: (line: string) => lines.push(line), showProgress: () => {}, isTerminal: true };
  const steps = new Steps(output as unknown as ConstructorParameters<typeof Steps>[0]);
  const redis = Promise.withResolvers<void>();
  const both = Promise.all([
    steps.run("Redis", () => redis.promise),
    steps.run("Kafka", async (note) => note("present")),
  ]);
  await steps.attempt("check", async () => false);
  redis.reject(new Error("There is no Redis."));
  await assert.rejects(both, /^Error: There is no Redis\.$/);
  assert.match(lines.join("\n"), /^✗ check .*\n✓ Kafka .* present\n✗ Redis .*$/);
});
