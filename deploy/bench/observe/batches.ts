import { readConfig } from "@faceline/contracts/runtime/config";
import { readMessage } from "@faceline/contracts/runtime/message";
import { subscribe, VolatileRedisConfig } from "@faceline/contracts/runtime/redis";
import { reportsChannel } from "@faceline/contracts/wire/names";
import { Report } from "@faceline/contracts/wire/report";
import { mean } from "../report/statistics.ts";

/** Subscribes to the workers' reports and counts the sizes of the batches that they finish. */
export async function openBatchSizes(urls: Record<string, string>, pool: string): Promise<BatchSizes> {
  const config = readConfig(VolatileRedisConfig, { ...process.env, ...urls });
  const counted = new Set<string>();
  let sizes: number[] = [];
  const subscription = await subscribe(config, [reportsChannel(pool)], (message) => {
    const report = readMessage(Report, message);
    if (!report.ok) return;
    // Every report repeats the batches that finished last.
    for (const { batch, size } of report.value.finished) {
      if (counted.has(batch)) continue;
      counted.add(batch);
      sizes.push(size);
    }
  });
  return {
    restart() {
      sizes = [];
    },
    mean: () => (sizes.length === 0 ? null : mean(sizes)),
    [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose](),
  };
}

type BatchSizes = AsyncDisposable & {
  /** Counts from now on. */
  restart(): void;
  /** Pictures a batch; null where none has finished. */
  mean(): number | null;
};
