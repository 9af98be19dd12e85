import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";

/** The end of a drain, in which the calls that are still in flight are refused. */
const refusalMs = 1_000;

/**
 * Closes the server: it takes no new connection, and calls in flight may end. The last second of `withinMs`
 * is for those that have not: `refuseCalls` is called, which should reply to them. Connections that are still
 * open after it are cut.
 */
export async function drain(
  server: FastifyInstance,
  { withinMs, refuseCalls }: { withinMs: number; refuseCalls: () => void },
): Promise<void> {
  const closed = server.close().then(() => true);
  const closesWithin = (ms: number) => Promise.race([closed, sleep(ms, false, { ref: false })]);

  const untilRefusalMs = Math.max(0, withinMs - refusalMs);
  if (!(await closesWithin(untilRefusalMs))) {
    refuseCalls();
    await closesWithin(withinMs - untilRefusalMs);
  }
  server.server.closeAllConnections();
}
