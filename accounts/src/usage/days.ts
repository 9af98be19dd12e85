/** Returns the day of an instant (epoch ms) in UTC: `2026-11-22`. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Returns the last `count` days in UTC, the day of `now` included, the oldest first. */
export const lastDays = (now: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => dayOf(now - (count - 1 - index) * dayMs));

export const dayMs = 86_400_000;

/** How long the calls of a day stay. A year and a month, so that a year can be compared with the last one. */
export const usageKeptDays = 400;

/** How long a recent error stays that no newer one replaces: logs are rarely kept for longer. */
export const errorsKeptDays = 30;
