import type { LiveInference } from "@faceline/runtime/live/state";
import type { Report } from "@faceline/contracts/wire/report";
import type { BatchHistory } from "./batch-history.ts";

/** Returns what the live page shows of a worker. Before its models are loaded there is nothing to report. */
export function liveInference({ report, history, ...parts }: InferenceParts): LiveInference {
  const { now, pool, modelled } = parts;
  const { running, lanes = [] } = report ?? {};
  return {
    kind: "inference",
    pool,
    modelled,
    isStopping: report?.draining ?? false,
    partitions: report?.partitions.length ?? 0,
    lanes: lanes.map(({ lane, build, executionProvider, precisions, sizes }) => ({
      lane,
      build,
      executionProvider,
      networks: precisions.map(({ model, precision, fallback }) => ({ model, precision, fallback })),
      sizes: sizes.map(({ size, runMs }) => ({ size, warmMs: runMs })),
    })),
    running:
      running === undefined || running === null
        ? null
        : {
            lane: running.lane,
            tasks: running.tasks.length,
            forMs: now - running.startedAt,
            leftMs: running.endsAt - now,
          },
    staged: report?.staged.length ?? 0,
    answering: report?.answering.length ?? 0,
    ...history.read(now),
  };
}

type InferenceParts = {
  now: number;
  pool: string;
  /** Whether its engine is modelled, and its answers are made up. */
  modelled: boolean;
  /** Undefined while the worker starts. */
  report: Pick<Report, "draining" | "partitions" | "lanes" | "running" | "staged" | "answering"> | undefined;
  history: BatchHistory;
};
