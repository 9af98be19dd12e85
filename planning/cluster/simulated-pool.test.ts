import assert from "node:assert/strict";
import { test } from "node:test";
import { poisson } from "@faceline/batcher/simulation/arrivals";
import { EventQueue } from "@faceline/batcher/simulation/event-queue";
import { metricsOf } from "@faceline/batcher/simulation/metrics";
import { Random } from "@faceline/batcher/simulation/random";
import { workers } from "@faceline/batcher/simulation/reference-pool";
import { startAt } from "@faceline/batcher/simulation/scenario";
import { Simulation } from "@faceline/batcher/simulation/simulation";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import { hops, tasksPerCall, timeBudgetMs } from "./cluster.ts";
import { type PendingCall, SimulatedPool } from "./simulated-pool.ts";

const caller = { tenant: "team", tasks: tasksPerCall, timeBudgetMs };
const forMs = 3_000;
const settledMs = 1_000;

// Of 4,923 tasks a second that four accelerators can do.
for (const tasksPerSecond of [3_900, 6_000]) {
  test(`it answers as many of ${tasksPerSecond} tasks a second as a pool with the batcher's scheduler`, (t) => {
    const arrivals = poisson(new Random(1), tasksPerSecond / tasksPerCall, forMs, caller);
    const events = new EventQueue(startAt);
    const durations: number[] = [];
    const pool = newPool(events, {
      answered: ({ arrivedAt }) => {
        if (arrivedAt >= startAt + settledMs) durations.push(events.now - arrivedAt);
      },
    });
    for (const { atMs } of arrivals) {
      const call = newCall(startAt + atMs);
      events.at(startAt + atMs + hops.toPoolMs, () => pool.receive(call));
    }
    events.runUntil(startAt + forMs + timeBudgetMs);
    const share = durations.length / arrivals.filter(({ atMs }) => atMs >= settledMs).length;
    const quantile = (at: number) => durations.toSorted((a, b) => a - b)[Math.floor(at * durations.length)]!;

    const models = workers(4, { alpha: 10, beta: 0.5, noise: 0 });
    const real = new Simulation({
      seed: 1,
      arrivals,
      workers: models,
      hops: { intakeMs: hops.toPoolMs, toWorkerMs: 0, reportMs: 0, replyMs: hops.replyMs },
    });
    const { good, answeredMs } = metricsOf(real.run(forMs + timeBudgetMs), startAt + settledMs);
    const times = `p50 ${quantile(0.5)} and ${answeredMs.p50}, p99 ${quantile(0.99)} and ${answeredMs.p99}`;
    t.diagnostic(`${share} and ${good}, ${times}`);
    assert.ok(Math.abs(share - good) < 0.03, `${share} and ${good}`);
  });
}

test("a state says what waits and how long, and comes at once when the wait has jumped", () => {
  const events = new EventQueue(startAt);
  const states: PoolState[] = [];
  const pool = newPool(events, { publish: (state) => states.push(state) });
  events.runUntil(startAt);
  for (let call = 0; call < 160; call++) pool.receive(newCall(startAt));
  events.runUntil(startAt + 6);
  // Four accelerators took two tasks each, as those came first; 312 wait: nine full batches, and a part.
  assert.deepEqual(
    states.map(({ sequence, lanes: [lane] }) => [sequence, lane!.waiting, lane!.expectedWaitMs]),
    [
      [0, 0, 0],
      [1, 312, 58],
    ],
  );
  assert.equal(states[1]!.lanes[0]!.taskMs, 0.203);
});

test("a lost pool neither answers nor refuses nor reports", () => {
  const events = new EventQueue(startAt);
  const said: string[] = [];
  const pool = newPool(events, {
    publish: () => said.push("state"),
    answered: () => said.push("answered"),
    refused: () => said.push("refused"),
  });
  events.runUntil(startAt);
  pool.receive(newCall(startAt));
  pool.lose();
  pool.receive(newCall(startAt));
  events.runUntil(startAt + 5_000);
  assert.deepEqual(said, ["state"]);
});

const newCall = (arrivedAt: number): PendingCall => ({
  ingress: 0,
  arrivedAt,
  deadlineAt: arrivedAt + timeBudgetMs,
  tasks: tasksPerCall,
  left: tasksPerCall,
});

const newPool = (
  events: EventQueue,
  hooks: Partial<Pick<ConstructorParameters<typeof SimulatedPool>[0], "publish" | "answered" | "refused">>,
): SimulatedPool =>
  new SimulatedPool({
    name: "pool-0",
    accelerators: 4,
    events,
    firstStateMs: 0,
    publish: () => {},
    answered: () => {},
    refused: () => {},
    ...hooks,
  });
