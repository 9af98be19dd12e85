// How numbers are written for people, with their units.

/** `0.4 ms`, `38 ms`, `1.6 s`, `3 min`. */
export function duration(ms: number): string {
  if (Math.abs(ms) < 10) return `${number(ms)} ms`;
  if (Math.abs(ms) < 1_000) return `${Math.round(ms)} ms`;
  if (Math.abs(ms) < 100_000) return `${number(ms / 1_000)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}

/** One decimal below ten, none from there on; thousands are separated. */
export function number(value: number): string {
  const rounded = Math.abs(value) < 9.95 ? Math.round(10 * value) / 10 : Math.round(value);
  return rounded.toLocaleString("en-GB");
}

/** A rate from a count in ten seconds: `12 per second`. */
export const perSecond = (last10s: number): string => `${number(last10s / 10)} per second`;

/** `1 task`, `3 tasks`; `1 batch`, `2 batches`. */
export function counted(count: number, noun: string): string {
  const plural = noun.endsWith("h") ? `${noun}es` : `${noun}s`;
  return `${number(count)} ${count === 1 ? noun : plural}`;
}

/** `0 MiB`, `512 MiB`, `1.5 GiB`. */
export function bytes(value: number): string {
  const mebibytes = value / 2 ** 20;
  return mebibytes < 1_024 ? `${number(mebibytes)} MiB` : `${number(mebibytes / 1_024)} GiB`;
}

/** A share from 0 to 1: `3%`. */
export const percent = (share: number): string => `${number(100 * share)}%`;
