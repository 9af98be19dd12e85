import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { NoiseCounts, NoiseServer } from "./raw-calls.ts";

/**
 * Keeps connections open that send their first bytes and nothing after. One that the server closes is opened
 * again at once, at most `perSecond` of all. Resolves when `stop` aborts.
 */
export async function holdConnections(
  { connections, perSecond, firstBytes }: HeldConnections,
  { url }: Pick<NoiseServer, "url">,
  stop: AbortSignal,
): Promise<NoiseCounts> {
  const { hostname: host, port } = new URL(url);
  const counts: NoiseCounts = {};
  let nextAt = performance.now();
  let next = 0;
  const holder = async (): Promise<void> => {
    for (;;) {
      const now = performance.now();
      nextAt = Math.max(nextAt, now) + 1_000 / perSecond;
      await sleep(nextAt - now, undefined, { signal: stop });
      const end = await hold({ host, port: Number(port) }, firstBytes[next++ % firstBytes.length]!, stop);
      counts[end] = (counts[end] ?? 0) + 1;
    }
  };
  await Promise.allSettled(Array.from({ length: connections }, holder));
  return counts;
}

/** Returns the status that the server sent before the connection closed, or `closed`. */
function hold(address: { host: string; port: number }, bytes: Buffer, stop: AbortSignal): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect({ ...address, allowHalfOpen: true });
  let end = "closed";
  const destroy = () => void socket.destroy();
  stop.addEventListener("abort", destroy, { once: true });
  socket.once("data", (answer: Buffer) => (end = answer.toString("latin1", 9, 12)));
  // Its own side stays open for a while, as that of a scanner that has gone away.
  socket.once("end", () => setTimeout(destroy, halfOpenMs).unref());
  socket.on("error", destroy);
  socket.once("close", () => {
    stop.removeEventListener("abort", destroy);
    resolve(end);
  });
  socket.write(bytes);
  return promise;
}

/** Longer than the server waits for the other side. */
const halfOpenMs = 2_000;

/** `firstBytes` are used in turn. */
type HeldConnections = { connections: number; perSecond: number; firstBytes: Buffer[] };
