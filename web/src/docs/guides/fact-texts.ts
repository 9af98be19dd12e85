import type { Facts } from "../../facts.ts";
import { formatBytes, formatCount, formatDuration, formatMillions } from "../../format.ts";

/** Returns the facts that guides name in double braces, as text: `limits.body_bytes` → `20 MiB`. */
export function factTexts({ limits, tester, models, ...facts }: Facts): Record<string, string> {
  // The state of a rate limit expires once its address may send a whole burst again.
  const addressKeptMs = Math.ceil((60 * tester.requestsBurst) / tester.requestsPerMinute) * 1_000;
  return {
    ...texts("limits.", limits),
    ...texts("tester.", { ...tester, addressKeptMs }),
    ...texts("", { teamBodyBytesPerSecond: facts.teamBodyBytesPerSecond }),
    "models.input_px": models.map(({ input_px }) => input_px).join(" or "),
  };
}

const texts = (prefix: string, values: Record<string, number | boolean>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === "number" ? [[prefix + name, textOf(name, value)]] : [],
    ),
  );

/** Formats a number by the unit in its name. */
function textOf(name: string, value: number): string {
  if (value === 0 && name.startsWith("team")) return "unlimited";
  if (/bytes/i.test(name)) return formatBytes(value);
  if (/ms$/i.test(name)) return formatDuration(value);
  return /pixels$/i.test(name) ? formatMillions(value) : formatCount(value);
}
