import assert from "node:assert/strict";
import type { Batch } from "@faceline/contracts/batch";
import { decide } from "../src/scheduling/decide.ts";
import { answered, batchesOf, call, newPool, report } from "../src/scheduling/scene.ts";

// How long one decision takes while so many tasks wait. Usage: node batcher/capacity/decide.bench.ts

const sizes = [1, 2, 4, 8, 16, 32].map((size) => ({ size, runMs: 40 + 2 * size }));

const rounds = 2_000;

for (const tenants of [1, 10, 100]) {
  for (const waiting of [100, 1_000, 10_000]) {
    measure(waiting, tenants);
    const { arrival, cycle } = measure(waiting, tenants);
    console.log(
      `${waiting} waiting of ${tenants} tenants: ${arrival.toFixed(1)} µs an arrival, ` +
        `${cycle.toFixed(1)} µs a report with a finished batch and the next one sent`,
    );
  }
}

/** Four workers are busy and the tasks wait. Then each report ends a batch, the next one leaves, and as many arrive. */
function measure(waiting: number, tenants: number): { arrival: number; cycle: number } {
  const pool = newPool({ laneWaitingMax: 1_000_000 });
  const patience = { now: 0, deadlineAt: 100_000_000 };
  let calls = 0;
  const arrive = () => call(`c${calls++}`, 1, patience, `t${calls % tenants}`);
  const says = (worker: number, said: Parameters<typeof report>[1]) =>
    report(`w${worker}`, { sizes, partition: worker, ...said });

  const running = [1, 2, 3, 4].map((count) => ({ id: `batcher-ffffffffffffffff/${count}`, size: 32 }));
  for (const [worker, batch] of running.entries()) {
    decide(pool, says(worker, { running: { batch: batch.id, startedAt: 0, endsAt: 1_000 } }), 0);
  }
  for (let index = 0; index < waiting; index++) decide(pool, arrive(), 0);

  let arrivalsMs = 0;
  let cyclesMs = 0;
  for (let round = 0; round < rounds; round++) {
    const worker = round % 4;
    const { id, size } = running[worker]!;
    const ended = says(worker, {
      finished: [{ ...answered({ id }), size, prepareMs: 1, runMs: 40 + 2 * size }],
    });
    let next: Batch | undefined;
    cyclesMs += timed(() => {
      [next] = batchesOf(decide(pool, ended, 0));
    });
    assert(next !== undefined, "nothing was sent");
    running[worker] = { id: next.id, size: next.tasks.length };
    decide(pool, says(worker, { running: { batch: next, startedAt: 0, endsAt: 1_000 } }), 0);
    const more = next.tasks.map(arrive);
    arrivalsMs += timed(() => {
      for (const event of more) decide(pool, event, 0);
    });
  }
  return { arrival: (1_000 * arrivalsMs) / (calls - waiting), cycle: (1_000 * cyclesMs) / rounds };
}

function timed(act: () => void): number {
  const begunAt = performance.now();
  act();
  return performance.now() - begunAt;
}
