import assert from "node:assert/strict";
import { test } from "node:test";
import { Steps } from "./steps.ts";

test("a step that ends with a warning has no tick", async () => {
  const lines: string[] = [];
  const output = { print: (line: string) => lines.push(line), showProgress: () => {}, isTerminal: true };
  const steps = new Steps(output as unknown as ConstructorParameters<typeof Steps>[0]);
  await steps.run("Redis", async (note) => note("old", { warns: true }));
  await steps.run("Kafka", async (note) => note("present"));
  assert.match(lines[0]!, /^! Redis .* old$/);
  assert.match(lines[1]!, /^✓ Kafka .* present$/);
});
