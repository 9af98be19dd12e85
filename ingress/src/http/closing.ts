import type { FastifyReply } from "fastify";

/**
 * What is to be done once a call's connection is through with it: answered, or hung up. A client may have hung up while
 * something was awaited on the way in; nothing would tell of that again.
 */
export function whenClosed(reply: FastifyReply, done: () => void): void {
  if (reply.raw.closed) done();
  else reply.raw.once("close", done);
}
