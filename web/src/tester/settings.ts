import { fill } from "../words/fill.ts";
import { words } from "./words.ts";
import { formatNumber } from "./numbers.ts";

/** Calls that the tester makes. */
const testerCalls = ["verify", "represent", "compare"] as const;
export type TesterCall = (typeof testerCalls)[number];

/** Settings that a visitor may choose; undefined: the service's own. */
export type TesterSettings = {
  call: TesterCall;
  model?: string;
  detector?: string;
  metric?: string;
  threshold?: number;
};

/** Reads the settings from the query of the page's address. What it does not understand is left out. */
export function readSettings(query: string): TesterSettings {
  const parameters = new URLSearchParams(query);
  const call = testerCalls.find((name) => name === parameters.get("call")) ?? "verify";
  const threshold = readThreshold(parameters.get("threshold") ?? "");
  return {
    call,
    ...textOf(parameters, "model"),
    ...textOf(parameters, "detector"),
    ...textOf(parameters, "metric"),
    ...(threshold === undefined ? {} : { threshold }),
  };
}

/** Reads a threshold as people type it, `0.05` or `0,05`. Undefined: it is none. */
export function readThreshold(text: string): number | undefined {
  const trimmed = text.trim().replace(",", ".");
  const threshold = trimmed === "" ? Number.NaN : Number(trimmed);
  return Number.isFinite(threshold) && threshold >= 0 ? threshold : undefined;
}

/**
 * Returns what is wrong with the text of a threshold. An empty text is none: the model's own counts. No
 * distance is larger than `max`.
 */
export function thresholdFault(text: string, max = Number.POSITIVE_INFINITY): string | undefined {
  if (text.trim() === "") return undefined;
  const threshold = readThreshold(text);
  if (threshold === undefined) return words.threshold.notNumber;
  return threshold <= max ? undefined : fill(words.threshold.tooLarge, { max: formatNumber(max) });
}

/** Returns the samples that a query names, of those that exist; those of the request if it names none. */
export function readSamples(query: string, known: readonly string[]): readonly string[] {
  const named = new URLSearchParams(query).get("samples")?.split(".").slice(0, samplesMax) ?? [];
  const samples = named.filter((name) => known.includes(name));
  return samples.length > 0 ? samples : firstSamples[readSettings(query).call];
}

/**
 * Returns the query that `readSettings` and `readSamples` read, with its question mark; "" if everything is
 * at its default. `samples`: those that are shown, if nothing else is.
 */
export function writeSettings({ call, ...others }: TesterSettings, samples: readonly string[] = []): string {
  const parameters = new URLSearchParams();
  if (call !== "verify") parameters.set("call", call);
  for (const [name, value] of Object.entries(others)) parameters.set(name, String(value));
  const isUsual = samples.length === 0 || samples.join() === firstSamples[call].join();
  if (!isUsual) parameters.set("samples", samples.slice(0, samplesMax).join("."));
  const query = parameters.toString();
  return query === "" ? "" : `?${query}`;
}

/** Shown to a visitor who has not chosen any. */
export const firstSamples: Record<TesterCall, readonly string[]> = {
  verify: ["dia-1", "dia-2"],
  represent: ["dia-1"],
  compare: ["dia-1", "dia-2", "chi-1", "chi-2", "ada-1", "ada-2"],
};

const samplesMax = 9;

function textOf<Name extends "model" | "detector" | "metric">(
  parameters: URLSearchParams,
  name: Name,
): { [name in Name]?: string } {
  const value = parameters.get(name);
  return value === null || value === "" ? {} : ({ [name]: value } as { [name in Name]: string });
}
