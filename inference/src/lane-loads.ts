import type { Log } from "@faceline/contracts/runtime/log";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { LaneState } from "@faceline/contracts/wire/pool-state";
import type { Engine } from "./engine/engine.ts";
import type { ExecutionProvider } from "./network/execution-provider.ts";
import type { OnWarmUp } from "./network/network.ts";

/**
 * Loads lanes that calls want, one at a time, while loaded ones go on. A pool's state is repeated for as long
 * as a lane is wanted, so nothing is queued here. A lane whose load failed is not tried again.
 */
export class LaneLoads {
  readonly #parts: LaneLoadsParts;
  readonly #failed = new Set<LaneId>();
  #loading: LaneId | undefined;

  constructor(parts: LaneLoadsParts) {
    this.#parts = parts;
  }

  /** The lanes that are not loaded, and can be. */
  loadable(): LaneId[] {
    const { lanes, engine } = this.#parts;
    return lanes.filter(
      (lane) => !this.#failed.has(lane) && !engine.lanes.some((each) => each.lane === lane),
    );
  }

  /** Begins to load a lane that is wanted. Resolves when it is loaded, or the load has failed. */
  async follow(pool: Pick<LaneState, "lane" | "wanted">[]): Promise<void> {
    if (this.#loading !== undefined) return;
    const loadable = this.loadable();
    const next = pool.find(({ lane, wanted }) => wanted && loadable.includes(lane));
    if (next !== undefined) await this.#load(next.lane);
  }

  async #load(lane: LaneId): Promise<void> {
    const { engine, log, onChange } = this.#parts;
    this.#loading = lane;
    const startedAt = performance.now();
    const before = engine.fallbacks;
    try {
      await engine.load(lane);
      log.info({ lane, ms: Math.round(performance.now() - startedAt) }, "loaded a lane that a call wants");
      for (const reason of engine.fallbacks) if (!before.includes(reason)) log.warn({ reason }, inFloat);
    } catch (error) {
      this.#failed.add(lane);
      const reason = (error as Error).message;
      log.error({ lane, reason }, "a lane could not be loaded; it is not tried again before a restart");
    }
    this.#loading = undefined;
    onChange();
  }
}

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

/** A line of the log. */
export const inFloat = "a model runs in float, which is exact here, and slower";

type LaneLoadsParts = {
  /** All lanes of the settings. */
  lanes: readonly LaneId[];
  engine: Pick<Engine, "lanes" | "load" | "fallbacks">;
  log: Log;
  /** Called whenever a report would differ from the last one. */
  onChange(): void;
};
