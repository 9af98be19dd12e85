import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";

/** The end of a drain, when requests that are still in flight are refused. */
const refusalMs = 1_000;

/**
 * Closes the server in three steps, within `withinMs` together:
 *
 *     notice ──► stopServing, no new connections, calls in flight may end ──► refuseCalls ──► closed
 *
 * For `noticeMs` it serves as before, so that load balancers can choose another process. The last second is
 * for calls that have not ended: `refuseCalls` should respond to them. Connections that are open after it are
 * cut.
 */
export async function drain(server: FastifyInstance, options: DrainOptions): Promise<void> {
  const { withinMs, stopServing, refuseCalls } = options;
  const noticeMs = Math.min(options.noticeMs, Math.max(0, withinMs - refusalMs));
  if (noticeMs > 0) await sleep(noticeMs, undefined, { ref: false });
  stopServing();
  const closed = server.close().then(() => true);
  const closesWithin = (ms: number) => Promise.race([closed, sleep(ms, false, { ref: false })]);

  const untilRefusalMs = Math.max(0, withinMs - noticeMs - refusalMs);
  if (!(await closesWithin(untilRefusalMs))) {
    refuseCalls();
    await closesWithin(withinMs - noticeMs - untilRefusalMs);
  }
  server.server.closeAllConnections();
}

type DrainOptions = {
  noticeMs: number;
  withinMs: number;
  /** Called when the notice is over: calls that still come should be refused. */
  stopServing(): void;
  refuseCalls(): void;
};
