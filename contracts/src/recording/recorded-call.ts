import * as z from "zod";
import { LaneId } from "../wire/ids.ts";

/**
 * How a recorded call ended: `shed`, refused under load; `late`, not answered by its deadline; `failed`, the
 * service is at fault; `left`, its client did not wait.
 */
export const recordedOutcomes = ["answered", "shed", "late", "failed", "left"] as const;
export type RecordedOutcome = (typeof recordedOutcomes)[number];

/**
 * A line of GET /calls of an ingress' operators' port: a request that has ended, without its content.
 * Requests that a limit refused, or that were invalid, never reached a queue and are left out.
 */
export const RecordedCall = z.object({
  /** Its arrival, on the shared clock. */
  at: z.number().positive(),
  /** 32 bits of a hash of the tenant with the salt that the reader sent: the same for all ingresses. */
  tenant: z.int().min(0).max(4_294_967_295),
  /** Absent if the call was refused before its body was read. */
  lane: LaneId.optional(),
  deadlineMs: z.number().positive(),
  /** Bytes and pixels of each image; none if the call was refused before its body was read. */
  images: z.array(z.tuple([z.int().positive(), z.int().positive()])).max(51),
  outcome: z.enum(recordedOutcomes),
  /** From its arrival to the end of its response, in ms; only of an answered call. */
  tookMs: z.number().nonnegative().optional(),
  /** The part of `tookMs` outside the queue, the preparation and the run: ingress and hops. */
  serviceMs: z.number().optional(),
});
export type RecordedCall = z.infer<typeof RecordedCall>;

/** Or a line that says how many calls are missing, because the reader was too slow. */
export const RecordedLine = z.union([RecordedCall, z.object({ dropped: z.int().positive() })]);
