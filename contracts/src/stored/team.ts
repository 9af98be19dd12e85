import * as z from "zod";

/** Limits of a team, shared by all its keys. 0: not limited. */
export const TeamLimits = z.object({
  /** Sustained calls per second: refill rate of the token bucket. */
  requestsPerSecond: z.int().min(0).max(1_000_000),
  /** Burst of calls: size of the token bucket. 0 also disables `requestsPerSecond`. */
  requestsBurst: z.int().min(0).max(1_000_000),
  /** Concurrent calls. */
  inFlightMax: z.int().min(0).max(1_000_000),
  /** Bytes of request bodies per second that one ingress reads. */
  bodyBytesPerSecond: z.int().min(0).max(1_000_000_000_000),
});
export type TeamLimits = z.infer<typeof TeamLimits>;

export const unlimited: TeamLimits = {
  requestsPerSecond: 0,
  requestsBurst: 0,
  inFlightMax: 0,
  bodyBytesPerSecond: 0,
};

/**
 * Record of a team in the durable Redis, as JSON, under its name. The service's default applies to a limit
 * that is absent.
 */
export const Team = z.object({ limits: TeamLimits.partial() });
export type Team = z.infer<typeof Team>;
export type LimitOverrides = Team["limits"];
