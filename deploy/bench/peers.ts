import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Child } from "../launcher/child.ts";
import { freePorts } from "../launcher/ports.ts";
import type { Installed, Venv } from "../testing/venv.ts";
import type { Bench } from "./bench.ts";

/** Where they are installed: `npm run bench -- --setup`. */
export const peersVenv = (folder: string): Venv => ({
  name: "peers",
  pythonMin: "3.10",
  folder,
  requirements: join(import.meta.dirname, "peers", "requirements.txt"),
});

const modelled = (name: string, file: string, ...further: string[]): Peer => ({
  name,
  args: (port) => [join(import.meta.dirname, "peers", file), `${port}`, ...further],
  health: "/health",
  environment: {},
});

/** Other ways to serve batches, each with the same modelled engine, batches of at most 32 and one worker. */
export const peers: Peer[] = [
  modelled("LitServe", "litserve_server.py"),
  modelled("FastAPI, eager", "fastapi_server.py"),
  modelled("FastAPI, 10 ms window", "fastapi_server.py", "10"),
];

/** A fresh one: what an earlier case left waiting in it is gone. */
export async function openPeer(bench: Bench, { python }: Installed, peer: Peer): Promise<OpenPeer> {
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const { readyWithinMs, record } = bench.servers.watch;
  const child = new Child(
    {
      name: peer.name,
      command: python,
      args: peer.args(port),
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...peer.environment },
      ready: () => answers(`${url}${peer.health}`),
    },
    () => {},
  );
  const pid = child.pid;
  if (pid !== undefined) record?.started(peer.name, pid);
  const close = async (): Promise<void> => {
    signalGroup(pid, "SIGTERM");
    // What waits in it is of no use any more.
    await Promise.race([child.ended, sleep(stopWithinMs)]);
    // Whoever is left of its group: a server may be gone before its workers are.
    signalGroup(pid, "SIGKILL");
    await child.ended;
    if (pid !== undefined) record?.ended(pid);
  };
  try {
    await child.ready(readyWithinMs, bench.stop);
  } catch (fault) {
    await close();
    throw fault;
  }
  return { url, pid: pid!, [Symbol.asyncDispose]: close };
}

const stopWithinMs = 1_000;

function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (leader !== undefined) process.kill(-leader, signal);
  } catch {
    // Nobody of the group is left.
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await reply.arrayBuffer();
    return reply.ok;
  } catch {
    return false;
  }
}

export type Peer = {
  name: string;
  /** Of the Python that has its packages. */
  args(port: number): string[];
  /** Answers 200 once it serves. */
  health: string;
  environment: Record<string, string>;
};

export type OpenPeer = AsyncDisposable & { url: string; pid: number };
