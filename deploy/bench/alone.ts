import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { repository } from "../launcher/state-folder.ts";

/** The HTTP side of the ingress, or a bare Fastify, in a process of its own: no Kafka, no Redis, no worker. */
export async function openAlone(...args: AloneArgs): Promise<Alone> {
  const main = join(repository, "ingress/bench/alone.bench.ts");
  const child = spawn(process.execPath, [main, ...args], {
    // The leader of a group of its own: its CPU time is told apart.
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const port = await portOf(child);
  return {
    address: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.disconnect();
      await gone;
    },
  };
}

async function portOf(child: ChildProcess): Promise<number> {
  const stop = new AbortController();
  const died = once(child, "exit", { signal: stop.signal }).then(() => {
    throw new Error("a server of the benchmark ended");
  });
  const [{ port }] = (await Promise.race([once(child, "message"), died])) as [{ port: number }];
  died.catch(() => {});
  stop.abort();
  return port;
}

export type AloneArgs = ["bare"] | ["ingress", key: string, vectorLength: string];
export type Alone = AsyncDisposable & { address: string; pid: number };
