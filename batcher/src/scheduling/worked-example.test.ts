import assert from "node:assert/strict";
import test from "node:test";
import { answersOf, batchesOf, call, newPool, report } from "../../testing/fixtures.ts";
import { laneSituation } from "./capacity/situation.ts";
import { decide } from "./decide.ts";
import type { Event, Move } from "./state/state.ts";

// The worked example of docs/developing/batching.md, step by step, with its numbers. Instants are ms since
// its beginning.

test("the worked example comes out with the numbers given there", () => {
  const { situation, handle, wakeAt } = examplePool();
  const { usefulSize, deadlineSize, floor, holdMs } = situation().sizing;
  assert.deepEqual(
    { usefulSize, deadlineSize, floor, holdMs },
    {
      usefulSize: 32,
      deadlineSize: 32,
      floor: 5,
      holdMs: 56,
    },
  );

  for (const at of [0, 10, 20, 30, 40]) assert.equal(wakeAt(handle(arrival(at), at)), 56);
  const [first] = batchesOf(handle(arrival(50), 50));
  assert.deepEqual([first?.tasks.length, first?.reason, first?.predictedRunMs], [6, "floor", 56]);

  handle(report("w1", { sizes, sentAt: start + 53, staged: [first!] }), 56);
  handle(arrival(60), 60);
  const running = { batch: first!.id, startedAt: start + 64, endsAt: start + 120 };
  handle(report("w1", { sizes, sentAt: start + 64, running }), 67);
  for (const at of [70, 80]) handle(arrival(at), at);
  assert.equal(wakeAt(handle(arrival(90), 90)), 108);

  const [second] = batchesOf(handle(arrival(92, { count: 20, timeBudgetMs: 600 }), 92));
  assert.deepEqual([second?.tasks.length, second?.reason, second?.predictedRunMs], [24, "floor", 104]);

  assert.deepEqual(shed(handle(arrival(92, { count: 20, timeBudgetMs: 600 }), 92)), []);
  const tooLong = shed(handle(arrival(92, { count: 20, timeBudgetMs: 600 }), 92));
  assert.deepEqual(tooLong[0], { reason: "queue_too_long", predictedMs: 236 + 104 + 3, retryAfterMs: 236 });
  assert.deepEqual(shed(handle(arrival(92, { timeBudgetMs: 600, tenant: "quiet" }), 92)), []);
  const infeasible = shed(handle(arrival(92, { timeBudgetMs: 100 }), 92));
  assert.deepEqual(infeasible, [
    { reason: "deadline_infeasible", predictedMs: 132 + 104 + 3, retryAfterMs: 132 },
  ]);
});

const start = 10_000;
const sizes = [1, 2, 4, 8, 16, 32].map((size) => ({ size, runMs: 40 + 2 * size }));

/**
 * One worker of 40 + 2b ms, images that take 5 + b ms to prepare, and 100 arrivals a second before the
 * beginning.
 */
function examplePool() {
  const pool = newPool();
  decide(pool, report("w1", { sizes, sentAt: start - 1_003 }), start - 1_000);
  const [lane] = pool.lanes.values();
  for (let run = 0; run < 300; run++) {
    const size = [1, 8, 32][run % 3]!;
    lane!.estimates.learnPreparation(lane!.estimates.lightLoad(size), 5 + size);
  }
  for (let at = start - 5_000; at < start; at += 10) lane!.estimates.arrivals.add(1, 300, at);
  decide(pool, report("w1", { sizes, sentAt: start - 3 }), start);
  return {
    situation: () => laneSituation(pool, lane!, start),
    handle: (event: Event, at: number): Move[] => decide(pool, event, start + at),
    wakeAt: (moves: Move[]) => moves.flatMap((move) => (move.kind === "wake" ? [move.at - start] : []))[0],
  };
}

let calls = 0;
function arrival(at: number, { count = 1, timeBudgetMs = 300, tenant = "team" } = {}): Event {
  const now = start + at;
  return call(`call-${calls++}`, count, { now, deadlineAt: now + timeBudgetMs }, tenant);
}

const shed = (moves: Move[]) =>
  answersOf(moves).flatMap(([, outcome]) => {
    if (outcome.kind !== "shed") return [];
    const { reason, predictedMs, retryAfterMs } = outcome;
    return [{ reason, predictedMs: Math.round(predictedMs), retryAfterMs: Math.round(retryAfterMs) }];
  });
