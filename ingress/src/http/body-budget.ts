import type { FastifyInstance } from "fastify";
import { Refusal } from "../refusal.ts";
import type { HttpSettings } from "../settings.ts";
import { whenClosed } from "./closing.ts";

/**
 * Bodies are held in memory from their first byte until their call has ended: so many bytes of them at a time, and who
 * comes with more is refused before a byte is read. What a call does not announce counts as the largest body there may be.
 */
export function budgetBodies(calls: FastifyInstance, settings: BudgetSettings): void {
  let heldBytes = 0;

  calls.addHook("onRequest", async ({ headers }, reply) => {
    const announced = Number(headers["content-length"] ?? settings.BODY_BYTES_MAX);
    // One that is larger than any may be is refused as such, when it is read.
    const bytes = Math.min(announced, settings.BODY_BYTES_MAX);
    if (heldBytes + bytes > settings.BODIES_IN_FLIGHT_BYTES_MAX) {
      throw new Refusal("queue_full", "Too many bytes are in flight; try again shortly.", {
        retryAfterMs: againAfterMs,
      });
    }
    heldBytes += bytes;
    whenClosed(reply, () => {
      heldBytes -= bytes;
    });
  });
}

const againAfterMs = 1_000;

type BudgetSettings = Pick<HttpSettings, "BODY_BYTES_MAX" | "BODIES_IN_FLIGHT_BYTES_MAX">;
