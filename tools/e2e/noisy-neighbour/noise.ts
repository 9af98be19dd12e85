import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { IpcChild } from "@faceline/bench/observe/ipc-child";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { noises } from "./noises.ts";
import type { Noise, NoiseCounts, NoiseServer } from "./send-calls.ts";

/**
 * Starts the noisy team: this file as a process of its own, with a lower priority than the services, because
 * in production its clients have other machines.
 */
export async function openNoise(): Promise<NoiseClient> {
  const child = new IpcChild("the noisy team", "tools/e2e/noisy-neighbour/noise.ts", []);
  await child.receive();
  return {
    start: (name, server) => child.request({ name, server }),
    stop: async () => (await child.request({})) as NoiseCounts,
    untilServed: ({ url, key, body }) =>
      waitUntil("the noisy team itself is served", async () => {
        const headers = { "x-api-key": key, "content-type": "application/json" };
        const response = await fetch(url, { method: "POST", headers, body });
        await response.arrayBuffer();
        return response.ok;
      }),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

/** Some kernels share the cores by session first (autogroup), and priorities count only within one. */
function lowerPriority(): void {
  const niceness = 10;
  setPriority(niceness);
  try {
    writeFileSync("/proc/self/autogroup", `${niceness}`);
  } catch {
    // Not Linux, or a kernel without it.
  }
}

if (import.meta.main) {
  lowerPriority();
  const prepared = new Map<string, Awaited<ReturnType<Noise>>>();
  for (const [name, prepare] of Object.entries(noises)) prepared.set(name, await prepare());
  let stop = new AbortController();
  let ended: Promise<NoiseCounts> = Promise.resolve({});
  process.on("message", ({ name, server }: { name?: string; server?: NoiseServer }) => {
    if (name !== undefined && server !== undefined) {
      stop = new AbortController();
      ended = prepared.get(name)!(server, stop.signal);
      process.send!({});
    } else {
      stop.abort();
      void ended.then((counts) => process.send!(counts));
    }
  });
  process.on("disconnect", () => process.exit());
  process.send!({});
}

type NoiseClient = AsyncDisposable & {
  start(name: keyof typeof noises, server: NoiseServer): Promise<unknown>;
  /** Returns how its calls ended. */
  stop(): Promise<NoiseCounts>;
  /** Waits until a call of the noisy team is answered: what it sent before has been worked off. */
  untilServed(call: { url: string; key: string; body: string }): Promise<void>;
};
