// Covered by ./simulate-cluster.test.ts.
import type { Choice } from "./choices.ts";

/** The cluster that DECISIONS.md (98) and BENCHMARKS.md speak of: 100 accelerators in 30 pools. */
export const fullCluster: Cluster = { pools: 30, accelerators: 100, ingresses: 50, zones: 3 };

/** The largest batch of an accelerator, which takes 10 + 0.5b ms for a batch of b: 1,231 tasks a second. */
export const batchMax = 32;
export const runMs = (tasks: number): number => 10 + 0.5 * tasks;

/** Each call has two pictures and a second. */
export const tasksPerCall = 2;
export const timeBudgetMs = 1_000;

/** From an ingress to a pool through Kafka, back by Redis, and a state from a pool to the ingresses. */
export const hops = { toPoolMs: 3, replyMs: 3, stateMs: 1 };

/** Returns how many accelerators each pool has: as equal as possible. */
export const acceleratorsOf = ({ pools, accelerators }: Cluster): number[] =>
  Array.from(
    { length: pools },
    (_, pool) => Math.floor(accelerators / pools) + (pool < accelerators % pools ? 1 : 0),
  );

/** Pools and ingresses are dealt to the zones in turn. */
const zoneOf = (index: number, { zones }: Cluster): number => index % zones;

/** Returns the share of the tasks that the pools can do which are left after the loss, if there is one. */
export function possibleShare({ cluster, tasksPerSecond, loss }: Omit<ClusterScenario, "choice">): number {
  const left = acceleratorsOf(cluster).filter((_, pool) => !isLost(pool, cluster, loss));
  const perSecond = (1_000 * batchMax * left.reduce((sum, count) => sum + count, 0)) / runMs(batchMax);
  return Math.min(1, perSecond / tasksPerSecond);
}

/** Whether a loss takes this pool. */
export const isLost = (pool: number, cluster: Cluster, loss?: Loss): boolean =>
  loss !== undefined && (loss.of === "pool" ? pool === lostPool : zoneOf(pool, cluster) === lostZone);

/** Whether a loss takes this ingress: those of a zone are lost with it. */
export const isIngressLost = (ingress: number, cluster: Cluster, loss?: Loss): boolean =>
  loss?.of === "zone" && zoneOf(ingress, cluster) === lostZone;

const lostPool = 0;
const lostZone = 1;

type Cluster = { pools: number; accelerators: number; ingresses: number; zones: number };

/** Pools that end without a word, with all that they have. */
type Loss = { of: "pool" | "zone"; atMs: number };

export type ClusterScenario = {
  seed: number;
  cluster: Cluster;
  tasksPerSecond: number;
  forMs: number;
  /** How an ingress chooses a pool. */
  choice: Choice;
  loss?: Loss;
};
