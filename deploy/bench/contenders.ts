import type { Installed } from "../testing/venv.ts";
import { openBatches } from "./batches.ts";
import type { Bench } from "./bench.ts";
import type { Target } from "./http-client.ts";
import { meanBatchOf, type Seen } from "./outcomes.ts";
import { openPeer, type Peer, peers } from "./peers.ts";
import { openStack } from "./stack.ts";

/** Who is measured in turn: Faceline, and the peers where they are installed. Each is started anew for each case. */
export function contenders(bench: Bench, installed: Installed | undefined, plan: ContestPlan): Contender[] {
  const ours = { name: "Faceline", open: () => openFaceline(bench, plan) };
  if (installed === undefined) return [ours];
  return [
    ours,
    ...peers.map((peer) => ({ name: peer.name, open: () => openOther(bench, installed, peer, plan) })),
  ];
}

async function openFaceline(bench: Bench, plan: ContestPlan): Promise<OpenContender> {
  const { servers, launch } = bench;
  await using opened = new AsyncDisposableStack();
  const stack = opened.use(await openStack(bench, { ENGINE: plan.engine, BATCH_MAX: `${plan.batchMax}` }));
  const batches = opened.use(await openBatches(servers.urls, launch.POOL));
  const target = stack.target("/represent", [plan.body], { "x-request-timeout-ms": `${plan.deadlineMs}` });
  const open = opened.move();
  return {
    target,
    leaders: servers.watch.record?.leaders() ?? {},
    warm: () => batches.restart(),
    meanBatch: () => batches.mean(),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function openOther(
  bench: Bench,
  installed: Installed,
  peer: Peer,
  plan: ContestPlan,
): Promise<OpenContender> {
  const { url, pid, ...rest } = await openPeer(bench, installed, peer);
  return {
    target: { url: `${url}/represent`, headers: {}, bodies: [JSON.stringify(plan.body)] },
    leaders: { "the peer": pid },
    warm() {},
    meanBatch: meanBatchOf,
    ...rest,
  };
}

export type ContestPlan = { engine: string; batchMax: number; deadlineMs: number; body: unknown };

export type Contender = { name: string; open(): Promise<OpenContender> };

export type OpenContender = AsyncDisposable & {
  target: Target;
  /** Its processes, by name: each leads a group. */
  leaders: Record<string, number>;
  /** Told when the warm-up ends. */
  warm(): void;
  /** Pictures a batch since then; null where none was seen. */
  meanBatch(calls: readonly Seen[]): number | null;
};
