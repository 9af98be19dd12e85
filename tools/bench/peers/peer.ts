import { setTimeout as sleep } from "node:timers/promises";
import { Child } from "@faceline/deploy/launcher/child";
import { freePorts } from "@faceline/deploy/launcher/ports";
import type { Installed } from "@faceline/testing/venv";
import type { Bench } from "../part.ts";

/**
 * Starts another server to measure beside Faceline, in Python, afresh for each measurement: nothing that an
 * earlier one left waiting in it remains. Throws if it does not answer its health check in time.
 */
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
      ready: () => isHealthy(`${url}${peer.healthPath}`),
    },
    () => {},
  );
  const pid = child.pid;
  if (pid !== undefined) record?.started(peer.name, pid);
  const close = async (): Promise<void> => {
    signalGroup(pid, "SIGTERM");
    // Calls that still wait in it do not matter any more.
    await Promise.race([child.ended, sleep(stopWithinMs)]);
    // A server may have ended before its workers.
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
    // Every process of the group has ended.
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

export type Peer = {
  name: string;
  /** Path of the Python interpreter of its virtual environment. */
  args(port: number): string[];
  /** Answers 200 once the server is ready. */
  healthPath: string;
  environment: Record<string, string>;
};

type OpenPeer = AsyncDisposable & { url: string; pid: number };
