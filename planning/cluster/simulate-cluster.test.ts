import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterResult } from "./call-counter.ts";
import { choices } from "./choices.ts";
import { type ClusterScenario, fullCluster, possibleShare } from "./cluster.ts";
import { simulateCluster } from "./simulate-cluster.ts";

// 10 pools of 3 or 4 accelerators, which can do 41,000 tasks a second.
const cluster = { pools: 10, accelerators: 33, ingresses: 15, zones: 3 };
const choice = choices["two drawn (Faceline)"];
const run = (changes: Partial<ClusterScenario>): ClusterResult =>
  simulateCluster({ seed: 1, cluster, tasksPerSecond: 33_000, forMs: 2_000, choice, ...changes });

test("of 30 pools at 100,000 tasks a second none is preferred by all 50 ingresses, and all are answered", () => {
  const full = { cluster: fullCluster, tasksPerSecond: 100_000, forMs: 1_600 };
  const drawn = run(full);
  assert.ok(drawn.answered > 0.9999, `${drawn.answered}`);
  assert.ok(drawn.mostSent < 1.6, `${drawn.mostSent}`);
  const reported = run({ ...full, choice: choices["least loaded, as reported"] });
  assert.ok(reported.mostSent > 2 * drawn.mostSent, `${reported.mostSent} and ${drawn.mostSent}`);
  assert.ok(reported.p99Ms > 2 * drawn.p99Ms, `${reported.p99Ms} and ${drawn.p99Ms}`);
});

test("a pool that is lost without a word loses less than its share of the calls of two seconds", () => {
  const loss = { of: "pool", atMs: 1_000 } as const;
  const result = run({ tasksPerSecond: 30_000, forMs: 4_000, loss });
  assert.ok(result.restoredAfterMs! > 0 && result.restoredAfterMs! <= 2_200, `${result.restoredAfterMs}`);
  // Two of the three seconds. An ingress counts what it has sent there since the last state, so it sends less
  // and less.
  assert.ok(result.lost > 0.01 && result.lost < (4 / 33) * (2 / 3), `${result.lost}`);
});

test("two seconds after a zone was lost the other two answer all calls, where they are enough for them", () => {
  const loss = { of: "zone", atMs: 1_000 } as const;
  const result = run({ tasksPerSecond: 20_000, forMs: 4_000, loss });
  assert.ok(result.restoredAfterMs! <= 2_200, `${result.restoredAfterMs}`);
});

test("above capacity as many are answered as can be, and the others are refused, not lost", () => {
  const scenario = { tasksPerSecond: 50_000 };
  const { answered, refused, lost } = run(scenario);
  const possible = possibleShare({ seed: 1, cluster, forMs: 2_000, ...scenario });
  assert.ok(answered > 0.97 * possible, `${answered} of ${possible}`);
  assert.ok(refused > 0.1 && lost === 0, `${refused}, ${lost}`);
});
