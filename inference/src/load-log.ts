import type { Log } from "@faceline/runtime/log";
import type { LoadedLane } from "@faceline/contracts/wire/report";
import type { ExecutionProvider } from "./network/execution-provider.ts";
import type { OnWarmUp } from "./network/network.ts";

/**
 * Logs the progress of loads. On a GPU each size of each network is a line: there the first run of a size
 * takes seconds, while the best algorithms are searched, and a start minutes. On a CPU all take a second.
 */
export function logWarmUp(log: Log, executionProvider: ExecutionProvider): OnWarmUp {
  return ({ network, size, times }) => {
    if (times === undefined) {
      const fields = { network, size };
      return log.warn(
        fields,
        "memory does not suffice for runs of this size; larger batches take several runs",
      );
    }
    const firstMs = Math.round(times.firstMs);
    const fields = { network, size, firstMs, runMs: Math.round(times.runMs * 10) / 10 };
    log[executionProvider === "cpu" ? "debug" : "info"](fields, "warmed a network for runs of this size");
  };
}

/** The precision of each network by its name, and why it is a fallback, for the log. */
export function networksOf(lanes: readonly LoadedLane[]): Record<string, string> {
  const networks = lanes.flatMap(({ precisions }) => precisions);
  return Object.fromEntries(
    networks.map(({ model, precision, deviation }) => [
      model,
      `${precision}${deviation ? ` (${deviation})` : ""}`,
    ]),
  );
}
