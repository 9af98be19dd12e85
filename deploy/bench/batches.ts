import { readConfig } from "@faceline/contracts/runtime/config";
import { readMessage } from "@faceline/contracts/runtime/message";
import { subscribe, VolatileRedisConfig } from "@faceline/contracts/runtime/redis";
import { reportsChannel } from "@faceline/contracts/wire/names";
import { Report } from "@faceline/contracts/wire/report";

/** Listens to what workers report of the batches they have finished. */
export async function openBatches(urls: Record<string, string>, pool: string): Promise<Batches> {
  const config = readConfig(VolatileRedisConfig, { ...process.env, ...urls });
  const counted = new Set<string>();
  let sizes: number[] = [];
  const subscription = await subscribe(config, [reportsChannel(pool)], (message) => {
    const report = readMessage(Report, message);
    if (!report.ok) return;
    // Every report repeats the last ones.
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
    mean: () => (sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + size, 0) / sizes.length),
    [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose](),
  };
}

export type Batches = AsyncDisposable & {
  /** Counts from now on. */
  restart(): void;
  /** Pictures a batch; null where none has finished. */
  mean(): number | null;
};
