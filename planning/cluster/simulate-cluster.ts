import { EventQueue } from "@faceline/batcher/simulation/event-queue";
import { Random } from "@faceline/batcher/simulation/random";
import { KnownPools } from "@faceline/ingress/pools/known-pools";
import { CallCounter, type ClusterResult } from "./call-counter.ts";
import { lane } from "./choices.ts";
import {
  acceleratorsOf,
  type ClusterScenario,
  hops,
  isIngressLost,
  isLost,
  possibleShare,
  tasksPerCall,
  timeBudgetMs,
} from "./cluster.ts";
import { type PendingCall, SimulatedPool } from "./simulated-pool.ts";

/**
 * Returns what callers of a cluster get. Ingresses receive the states of the pools, and choose one for each
 * call, with the code of the ingress; pools, network and time are simulated.
 *
 *     calls ──► ingresses ──► pools ──► callers
 *                  ▲            │
 *                  └── states ──┘
 *
 * Load balancers send nothing to lost ingresses. The first second is not counted, nor what is before a loss.
 */
export function simulateCluster(scenario: ClusterScenario): ClusterResult {
  const { cluster, seed, forMs, loss, tasksPerSecond, choice } = scenario;
  const events = new EventQueue(startAt);
  const random = new Random(seed);
  const accelerators = acceleratorsOf(cluster);
  const counter = new CallCounter({
    startAt,
    forMs,
    settledMs,
    lossMs: loss?.atMs,
    accelerators,
    possibleAfter: possibleShare(scenario),
  });
  const ingresses = Array.from({ length: cluster.ingresses }, () => ({
    known: new KnownPools(),
    choose: choice(random.branch()),
    isLost: false,
  }));
  /** Those that get calls. */
  let open = ingresses.map((_, index) => index);

  const pools = accelerators.map(
    (count, index) =>
      new SimulatedPool({
        name: `pool-${index}`,
        accelerators: count,
        events,
        firstStateMs: 100 * random.next(),
        publish: (state) =>
          events.after(hops.stateMs, () => {
            for (const { known } of ingresses) known.receive(state, events.now);
          }),
        answered(call) {
          if (!ingresses[call.ingress]!.isLost) counter.ended(call, "answered", events.now);
        },
        refused(call) {
          if (!ingresses[call.ingress]!.isLost) counter.ended(call, "refused", events.now);
        },
      }),
  );
  const poolIndex = new Map(pools.map(({ name }, index) => [name, index]));

  const arrive = (): void => {
    const ingress = open[random.below(open.length)]!;
    const { known, choose } = ingresses[ingress]!;
    const { now } = events;
    const call: PendingCall = {
      ingress,
      arrivedAt: now,
      deadlineAt: now + timeBudgetMs,
      tasks: tasksPerCall,
      left: tasksPerCall,
    };
    counter.arrived(call);
    const chosen = choose(known.fresh(now), call.deadlineAt, now);
    if (chosen === undefined) {
      counter.ended(call, "refused", now);
      return;
    }
    known.countSent(chosen, lane, call.tasks);
    const index = poolIndex.get(chosen)!;
    counter.sent(index, call.tasks, now);
    events.after(hops.toPoolMs, () => pools[index]!.receive(call));
  };
  const betweenMs = (1_000 * tasksPerCall) / tasksPerSecond;
  const arriveRepeatedly = (): void => {
    if (events.now >= startAt + forMs) return;
    arrive();
    events.after(random.exponential(betweenMs), arriveRepeatedly);
  };
  // The ingresses know all pools by then.
  events.at(startAt + 200, arriveRepeatedly);
  if (loss !== undefined) {
    events.at(startAt + loss.atMs, () => {
      for (const [index, pool] of pools.entries()) if (isLost(index, cluster, loss)) pool.lose();
      for (const [index, each] of ingresses.entries()) each.isLost = isIngressLost(index, cluster, loss);
      open = open.filter((index) => !ingresses[index]!.isLost);
    });
  }
  events.runUntil(startAt + forMs + timeBudgetMs);
  return counter.result();
}

/** Instants are positive. */
const startAt = 1_000_000;
const settledMs = 1_000;
