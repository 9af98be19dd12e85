import type { TeamLimits } from "@faceline/contracts/stored/team";
import type { FastifyReply } from "fastify";
import type { Ports } from "../ports.ts";
import { whenClosed } from "./closing.ts";

/**
 * Counts a call against the limits of its team until it has ended. Its answer, whatever it will be, tells how much the
 * team has left. Throws a Refusal `rate_limited`.
 */
export async function countIn(
  ports: Pick<Ports, "enter">,
  reply: FastifyReply,
  team: string,
  limits: TeamLimits,
): Promise<void> {
  const entry = await ports.enter(team, limits);
  whenClosed(reply, entry.leave);
  if (entry.rate !== undefined) {
    reply.header("ratelimit-limit", entry.rate.limit);
    reply.header("ratelimit-remaining", entry.rate.remaining);
    reply.header("ratelimit-reset", Math.ceil(entry.rate.resetMs / 1000));
  }
  if (entry.refusal !== undefined) throw entry.refusal;
}
