import type { Report } from "@faceline/contracts/wire/report";
import { counted, duration, number, percent } from "@faceline/runtime/live/format";
import { lastMinutes, past5min, past10s, type TimeSpan } from "@faceline/runtime/live/recent-counts";
import type { LivePart, LiveStatus } from "@faceline/runtime/live/state";
import { attention, ok, problem } from "@faceline/runtime/live/status";
import { networksOf } from "../load-log.ts";
import type { BatchHistory } from "./batch-history.ts";

/** Returns what the live page shows of a worker. Before its models are loaded there is nothing to report. */
export function liveInference(parts: InferenceParts): LivePart {
  const { now, pool, modelled, report, history } = parts;
  const { counts } = history;
  return {
    subject: `worker of pool ${pool}`,
    status: statusOf(parts),
    facts: {
      now: nowWords(parts),
      staged: report?.staged.length ?? 0,
      publishingResults: report?.answering.length ?? 0,
      partitions: report?.partitions.length ?? 0,
      tasksPerSecond: counts.sum("tasks", past10s(now)) / 10,
      runningShare: runningShare(counts.sum("runMs", past10s(now)), 10_000),
      ...(modelled && { engine: "modelled: it waits instead of running models, and results are made up" }),
    },
    tables: {
      lanes: (report?.lanes ?? []).map((loaded) => ({
        lane: loaded.lane,
        networks: Object.entries(networksOf([loaded])).map(
          ([network, precision]) => `${network} ${precision}`,
        ),
        device: loaded.executionProvider,
        precision: loaded.build.precision,
        build: loaded.build.digest,
        sizes: loaded.sizes.map(({ size }) => size),
        warmMs: loaded.sizes.map(({ runMs }) => runMs),
      })),
      lastMinutes: lastMinutes(now).map(({ minute, ...span }) => ({
        minute,
        batches: counts.sum("runs", span),
        tasks: counts.sum("tasks", span),
        failed: counts.sum("failed", span),
        meanPrepareMs: meanOf(history, "prepareMs", span),
        meanRunMs: meanOf(history, "runMs", span),
        predictedMs: meanOf(history, "predictedMs", span),
      })),
    },
  };
}

function statusOf({ now, report, history: { counts } }: InferenceParts): LiveStatus {
  if (report?.draining) return attention("Stopping", "It finishes its batches and accepts no new ones.");
  const failed = counts.sum("failed", past10s(now));
  if (failed > 0) {
    const words = "The log says why; the batcher retries their tasks.";
    return problem("Batches fail", `${counted(failed, "batch")} in the past 10 s. ${words}`);
  }
  const slowness = counts.sum("runMs", past5min(now)) / counts.sum("predictedMs", past5min(now));
  if (counts.sum("runs", past5min(now)) >= comparedRunsMin && slowness >= slownessMin) {
    const words = `The runs of the past 5 min took ${number(slowness)} times as long as predicted.`;
    return attention("Slower than predicted", `${words} The page of the batcher compares the workers.`);
  }
  const runs = counts.sum("runs", past10s(now));
  if (runs === 0) return ok("Idle", "No batch ran in the past 10 s.");
  const share = percent(runningShare(counts.sum("runMs", past10s(now)), 10_000));
  return ok("All is well", `${counted(runs / 10, "batch")} per second; runs take ${share} of the time.`);
}

function nowWords({ now, report }: InferenceParts): string {
  if (report === undefined) return "loads its models";
  const { running, staged, partitions } = report;
  if (running !== null) {
    const tasks = counted(running.tasks.length, "task");
    return `runs ${tasks} of ${running.lane} for ${duration(now - running.startedAt)}`;
  }
  if (staged.length > 0) return "fetches and decodes the images of a batch";
  return partitions.length === 0
    ? "waits for a partition: it gets no batch without one"
    : "waits for a batch";
}

function meanOf({ counts }: BatchHistory, time: "prepareMs" | "runMs" | "predictedMs", span: TimeSpan) {
  const runs = counts.sum("runs", span);
  return runs === 0 ? null : counts.sum(time, span) / runs;
}

/** A run that began before the span counts in full. */
const runningShare = (runMs: number, spanMs: number): number => Math.min(1, runMs / spanMs);

const slownessMin = 1.2;
const comparedRunsMin = 8;

type InferenceParts = {
  now: number;
  pool: string;
  /** Whether its engine is modelled, so that its answers are made up. */
  modelled: boolean;
  /** Undefined while the worker starts. */
  report: Pick<Report, "draining" | "partitions" | "lanes" | "running" | "staged" | "answering"> | undefined;
  history: BatchHistory;
};
