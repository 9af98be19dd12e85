import type { FastifyRequest } from "fastify";
import { soonestPool } from "../admission.ts";
import type { Desk } from "../routes/desk.ts";

/**
 * Refuses a call that needs a worker before its body is read, where no lane on offer would be done in time. (A /verify
 * or a /compare may hold vectors alone, which need none: those are refused once their body is known.)
 */
export const refuseHopeless =
  ({ ports, offer }: Desk) =>
  async ({ arrival }: FastifyRequest): Promise<void> => {
    soonestPool(ports.poolStates(), offer.lanes, ports.clock.now(), arrival!.deadlineAt);
  };
