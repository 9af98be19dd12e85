import assert from "node:assert/strict";
import { test } from "node:test";
import { operatorsPorts } from "./operators-ports.ts";

test("each process has an operators' port of its own, whose number does not depend on the others", () => {
  const few = operatorsPorts(9464, { ingress: 1, batchers: 1, workers: 1 });
  assert.deepEqual(few, { "ingress-1": 9464, "batcher-1": 9480, "inference-1": 9484 });
  const many = operatorsPorts(9464, { ingress: 16, batchers: 4, workers: 16 });
  assert.equal(new Set(Object.values(many)).size, 36);
  assert.equal(many["inference-16"], 9499);
  for (const [name, port] of Object.entries(few)) assert.equal(many[name], port);
});
