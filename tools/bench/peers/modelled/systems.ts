import { join } from "node:path";
import type { Installed, Venv } from "@faceline/testing/venv";
import type { Target } from "../../load/http-client.ts";
import { type Bench, leadersOf, openStack } from "../../part.ts";
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
  const stack = await openStack(bench, { ENGINE: plan.engine, BATCH_MAX: `${plan.batchMax}` });
  return {
    target: stack.target("/represent", [plan.body], { "x-request-timeout-ms": `${plan.deadlineMs}` }),
    leaders: leadersOf(bench),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
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
    ...rest,
  };
}

type SystemPlan = { engine: string; batchMax: number; deadlineMs: number; body: unknown };

export type System = { name: string; open(): Promise<OpenSystem> };

type OpenSystem = AsyncDisposable & {
  target: Target;
  /** Process ids by name; each leads a process group. */
  leaders: Record<string, number>;
};
