/** Returns the day of an instant (epoch ms) in UTC: `2026-11-22`. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Returns the last `count` days in UTC, the day of `now` included, the oldest first. */
export const lastDays = (now: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => dayOf(now - (count - 1 - index) * dayMs));

export const dayMs = 86_400_000;

/** How long the requests of a day are kept: a year and a month, so that two years can be compared. */
export const usageKeptDays = 400;

/** How long a recent error is kept if no newer one replaces it: logs are rarely kept for longer. */
export const errorsKeptDays = 30;
