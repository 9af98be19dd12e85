import { table } from "../report.ts";
import { mean, ratioOverStarts } from "../statistics.ts";
import { comparisons } from "./modes.ts";

/** A table of what each mode costs, of all starts together. */
export function telemetryTables(what: string, starts: readonly Start[]): string {
  const slices = starts.flatMap(({ rounds }) => rounds);
  const cpuMs = (mode: string) => mean(slices.map((round) => round[mode]!.cpuMs));
  const rows = comparisons.map(({ mode, with: other }) => {
    const pairs = starts.map(({ rounds }) =>
      rounds.map((round) => ({ old: round[other]!.cpuMs, new: round[mode]!.cpuMs })),
    );
    const { ratio, low, high } = ratioOverStarts(pairs);
    return [
      mode,
      other,
      cpuMs(other).toFixed(3),
      cpuMs(mode).toFixed(3),
      `${change(ratio)} (${change(low)} to ${change(high)})`,
    ];
  });
  const rest = mean(slices.flatMap((round) => Object.values(round).map(({ restCores }) => restCores)));
  const interval =
    starts.length > 1
      ? `the means of ${starts.length} starts`
      : "the pairs of one start, which it cannot cover";
  return [
    `${what}; CPU ms of ingress, batcher and worker for each call:`,
    table(["mode", "with", "CPU ms there", "CPU ms here", "change, 95 % interval"], rows),
    `${slices.length} rounds. The interval is over ${interval}. Everything else, with the load generator, the broker and Redis, kept ${rest.toFixed(2)} cores busy.`,
    memoryTable(starts),
    `One reading of the three pages of metrics, which no load contains: ${mean(starts.map(({ pagesMs }) => pagesMs)).toFixed(1)} CPU ms.`,
  ].join("\n\n");
}

/** Resident memory after the load. */
function memoryTable(starts: readonly Start[]): string {
  const [first] = starts;
  const rows = Object.keys(first!.mib).map((mode) => [
    mode,
    ...services.map((service) => mean(starts.map(({ mib }) => mib[mode]![service]!)).toFixed(0)),
  ]);
  return table(["resident MiB after the load", ...services], rows);
}

const services = ["ingress-1", "batcher-1", "inference-1"];

/** `+1.2 %` */
const change = (ratio: number): string => `${ratio < 1 ? "" : "+"}${(100 * (ratio - 1)).toFixed(1)} %`;

/** `cpuMs`: of the services for each call. `restCores`: what the rest of the machine kept busy. */
export type Slice = { cpuMs: number; calls: number; restCores: number };
/** A slice of each mode, by its name. */
export type Round = Record<string, Slice>;
/**
 * The rounds of one start of all stacks. `pagesMs`: CPU ms of reading all pages of metrics once. `mib`:
 * resident MiB after the load, by mode and service.
 */
export type Start = { rounds: Round[]; pagesMs: number; mib: Record<string, Record<string, number>> };
