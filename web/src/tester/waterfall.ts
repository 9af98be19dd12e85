import { words } from "./words.ts";

/** A part of the time of a call. */
type TimeBar = {
  label: string;
  /** Name in `Server-Timing`; undefined for what the service did not see. */
  name?: string;
  ms: number;
  /** Start in ms since the call began. The parts follow each other. */
  startMs: number;
};

/**
 * Returns where the time of a request went, from its `Server-Timing` header and the time that the browser
 * measured. Parts below a tenth of a millisecond are left out. The last part is what the service did not see:
 * the network and the browser.
 */
export function waterfall(serverTiming: string, measuredMs: number | undefined): TimeBar[] {
  const parts = parseServerTiming(serverTiming);
  const bars: TimeBar[] = [];
  let startMs = 0;
  const add = (part: Pick<TimeBar, "label" | "name">, ms: number): void => {
    if (ms < shownFromMs) return;
    bars.push({ ...part, ms, startMs });
    startMs += ms;
  };
  // The parts follow each other in the order of the words.
  const { network, ...labels } = words.time.parts;
  for (const [name, label] of Object.entries(labels)) add({ label, name }, parts.get(name) ?? 0);
  const total = parts.get("total");
  if (total !== undefined && measuredMs !== undefined) add({ label: network }, measuredMs - total);
  return bars;
}

/** `run;dur=12.5, total;dur=40` → run 12.5, total 40. What has no length is left out. */
export function parseServerTiming(header: string): Map<string, number> {
  const entries = header.split(",").flatMap((part) => {
    const [, name, ms] = /^\s*([\w-]+)\s*;.*\bdur=([\d.]+)/.exec(part) ?? [];
    return name === undefined ? [] : [[name, Number(ms)] as const];
  });
  return new Map(entries);
}

const shownFromMs = 0.1;
