import { join } from "node:path";
import { reportsChannel } from "@faceline/contracts/wire/names";
import { Report } from "@faceline/contracts/wire/report";
import { readConfig } from "@faceline/runtime/config";
import { readMessage } from "@faceline/runtime/message";
import { VolatileRedisConfig } from "@faceline/runtime/redis";
import { subscribe } from "@faceline/runtime/redis-subscription";
import type { Installed, Venv } from "@faceline/testing/venv";
import type { Target } from "../../load/http-client.ts";
import { meanBatchOf, type OpenLoopCall } from "../../load/open-loop.ts";
import { type Bench, leadersOf, openStack } from "../../part.ts";
import { mean } from "../../statistics.ts";
import { openPeer, type Peer } from "../peer.ts";

/** The virtual environment that `npm run bench -- --setup` makes. */
export const peersVenv = (folder: string): Venv => ({
  name: "peers",
  pythonMin: "3.10",
  folder,
  requirements: join(import.meta.dirname, "requirements.txt"),
});

/** The systems that are measured in turn: Faceline, and the peers where they are installed. */
export function systems(bench: Bench, installed: Installed | undefined, plan: SystemPlan): System[] {
  const faceline = { name: "Faceline", open: () => openFaceline(bench, plan) };
  if (installed === undefined) return [faceline];
  return [
    faceline,
    ...peers.map((peer) => ({ name: peer.name, open: () => openOther(bench, installed, peer, plan) })),
  ];
}

const modelled = (name: string, file: string, ...further: string[]): Peer => ({
  name,
  args: (port) => [join(import.meta.dirname, file), `${port}`, ...further],
  healthPath: "/health",
  environment: {},
});

/** Other ways to serve batches, each with the same modelled engine, batches of at most 32, and one worker. */
const peers: Peer[] = [
  modelled("LitServe", "litserve_server.py"),
  modelled("FastAPI, eager", "fastapi_server.py"),
  modelled("FastAPI, 10 ms window", "fastapi_server.py", "10"),
];

async function openFaceline(bench: Bench, plan: SystemPlan): Promise<OpenSystem> {
  const { servers, launch } = bench;
  await using opened = new AsyncDisposableStack();
  const stack = opened.use(await openStack(bench, { ENGINE: plan.engine, BATCH_MAX: `${plan.batchMax}` }));
  const batches = opened.use(await openBatchSizes(servers.environment, launch.POOL));
  const target = stack.target("/represent", [plan.body], { "x-request-timeout-ms": `${plan.deadlineMs}` });
  const open = opened.move();
  return {
    target,
    leaders: leadersOf(bench),
    onWarm: () => batches.restart(),
    meanBatch: () => batches.mean(),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function openOther(
  bench: Bench,
  installed: Installed,
  peer: Peer,
  plan: SystemPlan,
): Promise<OpenSystem> {
  const { url, pid, ...rest } = await openPeer(bench, installed, peer);
  return {
    target: { url: `${url}/represent`, headers: {}, bodies: [JSON.stringify(plan.body)] },
    leaders: { "the peer": pid },
    onWarm() {},
    meanBatch: meanBatchOf,
    ...rest,
  };
}

/** Subscribes to the workers' reports and counts the sizes of the batches that they finish. */
async function openBatchSizes(env: NodeJS.ProcessEnv, pool: string): Promise<BatchSizes> {
  const config = readConfig(VolatileRedisConfig, env);
  const counted = new Set<string>();
  let sizes: number[] = [];
  const subscription = await subscribe(config, [reportsChannel(pool)], (message) => {
    const report = readMessage(Report, message);
    if (!report.ok) return;
    // Every report repeats the batches that finished last.
    for (const { batch, size } of report.value.finished) {
      if (counted.has(batch)) continue;
      counted.add(batch);
      sizes.push(size);
    }
  });
  return {
    restart() {
      sizes = [];
    },
    mean: () => (sizes.length === 0 ? null : mean(sizes)),
    [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose](),
  };
}

type SystemPlan = { engine: string; batchMax: number; deadlineMs: number; body: unknown };

export type System = { name: string; open(): Promise<OpenSystem> };

type OpenSystem = AsyncDisposable & {
  target: Target;
  /** Process ids by name; each leads a process group. */
  leaders: Record<string, number>;
  /** Called when the warm-up ends. */
  onWarm(): void;
  /** Images a batch since then; null if none was seen. */
  meanBatch(calls: readonly OpenLoopCall[]): number | null;
};

type BatchSizes = AsyncDisposable & {
  /** Counts from now on. */
  restart(): void;
  /** Images a batch; null if none has finished. */
  mean(): number | null;
};
