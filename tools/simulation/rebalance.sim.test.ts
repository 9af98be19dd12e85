// Covers task-inbox.ts, ledger.ts and scheduler-loop.ts of batcher/src with all that they call, in rebalances
// that come in the middle of everything. Replay one seed with SEED=417.
import assert from "node:assert/strict";
import test from "node:test";
import { call } from "@faceline/batcher/testing/fixtures";
import { seedsOf } from "@faceline/batcher/testing/seeds";
import { type CallId, callIdOf, type TaskId } from "@faceline/contracts/wire/ids";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { EventQueue } from "./event-queue.ts";
import { Random } from "./random.ts";
import { RebalanceSimulation } from "./rebalance-simulation.ts";
import { workers } from "./reference-pool.ts";
import { startAt } from "./scenario.ts";
import type { SimulatedBatcher } from "./simulated-batcher.ts";
import { simulateTimers } from "./simulated-timers.ts";
import type { WorkerModel } from "./worker-model.ts";

test("rebalances in the middle of everything lose no task, end none twice and leave no offset behind", async () => {
  for (const seed of seedsOf(100)) await playHistory(seed);
});

/** Faults end after this. */
const faultsForMs = 6_000;
/** Batchers and workers that died last are back by then, and everything has been read again. */
const settledMs = 30_000;

async function playHistory(seed: number): Promise<void> {
  const random = new Random(seed);
  const events = new EventQueue(startAt);
  using _timers = simulateTimers(events);
  const calls = new Map<CallId, CallTasks>();
  const models = workers(1 + random.below(3), { alpha: 20, beta: 5, sizes: [1, 2, 4, 8], coldStartMs: 500 });
  const simulation = new RebalanceSimulation({
    events,
    random,
    workers: models,
    callOf: (task: TaskId) => calls.get(callIdOf(task))!,
  });
  /** Runs the next event and all that follows from it without time passing. */
  const runNext = async (end: number): Promise<boolean> => {
    const isRun = events.runNext(end);
    await new Promise(setImmediate);
    assert.deepEqual(simulation.violations, [], `seed ${seed}`);
    return isRun;
  };
  await simulation.startBatcher();
  await simulation.startBatcher();
  drawCalls(simulation, { random: random.branch(), events, calls });
  drawFaults(simulation, { random: random.branch(), events, models });

  while (await runNext(startAt + faultsForMs));
  simulation.redis.troubles = 0;
  for (const { consumer } of simulation.batchers) consumer.connected = true;
  const end = startAt + faultsForMs + settledMs;
  const isSettled = () =>
    simulation.isCommitted &&
    simulation.sentCalls.every((each) => each.tasks.every((task) => simulation.hasEnded(task)));
  while (!isSettled() && (await runNext(end)));

  const lost = simulation.sentCalls.flatMap((each) =>
    each.tasks.filter((task) => !simulation.hasEnded(task)),
  );
  assert.deepEqual(lost, [], `seed ${seed}: tasks are lost`);
  const { committed, log } = simulation.kafka;
  assert.equal(committed, log.length, `seed ${seed}: the committed offset does not move on`);
  for (const batcher of simulation.batchers.slice()) simulation.killBatcher(batcher);
}

function drawCalls(simulation: RebalanceSimulation, { random, events, calls }: CallParts): void {
  for (let at = 0, count = 0; at < faultsForMs; at += random.exponential(60), count++) {
    events.at(startAt + at, () => {
      const kind = random.next();
      if (kind < 0.03) return simulation.sendUnreadable();
      const { now } = events;
      // Most callers wait for longer than the simulation continues.
      const deadlineAt = now + (random.next() < 0.15 ? 200 + random.below(3_000) : 100_000);
      const arrival = call(
        `call-${count}`,
        1 + random.below(5),
        { now, deadlineAt },
        `team-${random.below(3)}`,
      );
      calls.set(arrival.call.call, arrival.call);
      simulation.send(arrival.call);
      // A producer whose acknowledgement is late sends again.
      if (kind < 0.06) simulation.send(arrival.call);
      else if (kind < 0.1) {
        events.after(random.below(500), () => simulation.cancel(arrival.call.call));
      }
    });
  }
}

function drawFaults(simulation: RebalanceSimulation, { random, events, models }: FaultParts): void {
  const { redis, batchers } = simulation;
  const startLater = (withinMs: number) =>
    events.after(random.below(withinMs), () => void simulation.startBatcher());
  const onBatcher = (act: (batcher: SimulatedBatcher) => void) => () => {
    if (batchers.length > 0) act(random.pick(batchers));
  };
  // A rebalance, and another one while the first one's messages are still looked up.
  const rebalanceTwice = onBatcher(({ consumer }) => {
    consumer.rejoin();
    events.after(random.below(1_000), () => consumer.rejoin());
  });
  const faults: (() => void)[] = [
    rebalanceTwice,
    rebalanceTwice,
    rebalanceTwice,
    // One standby more, or one less.
    () => void simulation.startBatcher(),
    onBatcher((batcher) => batchers.length > 2 && void simulation.stopBatcher(batcher)),
    // Its replacement joins before, while or after another one takes over.
    onBatcher((batcher) => {
      simulation.killBatcher(batcher);
      startLater(6_000);
    }),
    onBatcher((batcher) => {
      void simulation.stopBatcher(batcher);
      startLater(1_000);
    }),
    onBatcher(({ consumer }) => consumer.crash()),
    // Cut off from Kafka alone: its workers and Redis still talk to it.
    onBatcher(({ consumer }) => {
      consumer.connected = false;
      events.after(random.below(8_000), () => {
        consumer.connected = true;
      });
    }),
    () => {
      redis.troubles = random.pick([0, 0.1, 0.5, 0.9]);
    },
    () => simulation.killWorker(random.pick(models)),
  ];
  redis.troubles = random.pick([0, 0.1, 0.5]);
  for (let at = 200; at < faultsForMs; at += random.exponential(350)) {
    events.at(startAt + at, () => random.pick(faults)());
  }
}

type FaultParts = { random: Random; events: EventQueue; models: WorkerModel[] };
type CallParts = { random: Random; events: EventQueue; calls: Map<CallId, CallTasks> };
