import { PendingUsage, type UsageBatch } from "@faceline/accounts/usage/pending-usage";
import { writeUsage } from "@faceline/accounts/usage/write-usage";
import { bestEffort } from "@faceline/runtime/best-effort";
import type { Metrics } from "@faceline/runtime/metrics/metrics";
import type { RedisConnection } from "@faceline/runtime/redis";
import type { DedupedLog } from "@faceline/runtime/deduped-log";
import type { EndedCall } from "../call/ports.ts";

/**
 * Counts the requests of every team in memory, and writes them to the durable Redis every `writeEveryMs` and
 * at the end. While the server cannot be reached, the counts stay in memory, at most `countersMax` counters,
 * and are written later. A process that is killed loses what it counted since its last write.
 *
 * A failed write may have been run: it is repeated unchanged, under its number, and counts once.
 */
export function openUsageCounter({
  durable,
  ingress,
  everyMs = writeEveryMs,
  log,
  metrics,
}: Parts): UsageCounter {
  const pending = new PendingUsage({ countersMax });
  /** The write that is in progress or failed. */
  let pendingWrite: { number: number; batch: UsageBatch } | undefined;
  let writes = 0;
  let lostBefore = 0;

  const writeNext = async () => {
    if (pendingWrite === undefined && pending.calls > 0) {
      pendingWrite = { number: ++writes, batch: pending.take() };
    }
    if (pendingWrite === undefined) return;
    const { number, batch } = pendingWrite;
    const written = writeUsage(durable, { ingress, number }, batch);
    bestEffort("usage_write", written);
    try {
      await written;
      pendingWrite = undefined;
    } catch (error) {
      log.warn({ reason: (error as Error).message }, "usage was not written; it is kept and written later");
    }
  };
  let running: Promise<void> | undefined;
  const write = (): Promise<void> => {
    running ??= writeNext().finally(() => {
      running = undefined;
    });
    return running;
  };
  const unwrittenCalls = () => pending.calls + (pendingWrite?.batch.calls ?? 0);

  metrics.observe("faceline.usage.unwritten", () => [[unwrittenCalls(), {}]]);
  metrics.observe("faceline.usage.lost", () => [[pending.lostCalls, {}]]);
  const timer = setInterval(() => {
    void write();
    if (pending.lostCalls === lostBefore) return;
    lostBefore = pending.lostCalls;
    log.warn(
      { reason: "too many counters", calls: lostBefore },
      "requests were not counted: there is no room",
    );
  }, everyMs);

  return {
    count({ record, endedAt, status }) {
      const { tenant, keyId, route, requestId, error } = record;
      if (tenant === undefined) return;
      pending.add({
        team: tenant,
        endpoint: route.replace(testerPrefix, ""),
        outcome: status === undefined ? "client_left" : (error?.code ?? "ok"),
        endedAt,
        requestId,
        keyId,
      });
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running;
      // What failed before, and then what has come since.
      await write();
      if (pendingWrite === undefined) await write();
      const calls = unwrittenCalls();
      if (calls > 0)
        log.warn(
          { reason: "the end", calls },
          "usage was not written before the end: its requests are not counted",
        );
    },
  };
}

/** A process that is killed loses what it counted since its last write, so not much longer. */
const writeEveryMs = 5_000;
/** Each counts one team, day, endpoint and outcome in about 100 bytes: an outage fills no memory. */
const countersMax = 10_000;

/** Calls of the public tester are counted by the endpoint that they stand for. */
const testerPrefix = /^\/tester(?=\/)/;

type UsageCounter = AsyncDisposable & { count(call: EndedCall): void };

type Parts = {
  durable: RedisConnection;
  /** Id of this process. */
  ingress: string;
  everyMs?: number;
  log: Pick<DedupedLog, "warn">;
  metrics: Metrics;
};
