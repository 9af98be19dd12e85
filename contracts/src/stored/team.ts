import * as z from "zod";

/** What a team may do at a time, all its keys together. 0: this one is not limited. */
export const TeamLimits = z.object({
  /** Calls a second that are let in for as long as it takes. */
  requestsPerSecond: z.int().min(0).max(1_000_000),
  /** Calls that are let in at once after a pause; 0 lifts the limit of `requestsPerSecond` too. */
  requestsBurst: z.int().min(0).max(1_000_000),
  /** Calls that are in the service at a time. */
  inFlightMax: z.int().min(0).max(1_000_000),
});
export type TeamLimits = z.infer<typeof TeamLimits>;

export const unlimited: TeamLimits = { requestsPerSecond: 0, requestsBurst: 0, inFlightMax: 0 };

/**
 * What the durable Redis holds of a team, as JSON, under its name. A limit that is absent is the service's
 * default.
 */
export const Team = z.object({ limits: TeamLimits.partial() });
export type Team = z.infer<typeof Team>;
export type LimitOverrides = Team["limits"];
