/** `1000` → `1,000`. */
export const formatCount = (count: number): string => count.toLocaleString("en-US");

/** A size of memory in the unit in which settings give it: `10485760` → `10 MiB`. */
export function formatBytes(bytes: number): string {
  const unit = byteUnits.find(({ size }) => bytes >= size && bytes % size === 0);
  return unit === undefined
    ? `${formatCount(bytes)} bytes`
    : `${formatCount(bytes / unit.size)} ${unit.name}`;
}

/** A length of time: `30000` → `30 s`, `600000` → `10 minutes`, `50` → `50 ms`. */
export function formatDuration(ms: number): string {
  if (ms >= 120_000 && ms % 60_000 === 0) return `${formatCount(ms / 60_000)} minutes`;
  return ms >= 1_000 ? `${formatCount(ms / 1_000)} s` : `${ms} ms`;
}

/** `40000000` → `40 million`. */
export const formatMillions = (count: number): string =>
  count >= 1_000_000 ? `${formatCount(count / 1_000_000)} million` : formatCount(count);

const byteUnits = [
  { name: "GiB", size: 1024 ** 3 },
  { name: "MiB", size: 1024 ** 2 },
  { name: "KiB", size: 1024 },
];
