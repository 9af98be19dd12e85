import type { Clock } from "@faceline/runtime/clock";
import type { Log } from "@faceline/runtime/log";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { LaneState } from "@faceline/contracts/wire/pool-state";
import type { LoadableLane, LoadedLane } from "@faceline/contracts/wire/report";
import type { Engine } from "./engine/engine.ts";
import type { LaneMemory } from "./lane-memory.ts";
import { type LaneUse, type LoadPlan, planLoad, stillRecent } from "./load-plan.ts";
import type { ExecutionProvider } from "./network/execution-provider.ts";
import type { OnWarmUp } from "./network/network.ts";

/**
 * Loads the lanes that the pool's state assigns to this worker, one at a time, while loaded ones go on. Where
 * the memory for models does not suffice, lanes leave first. The state is repeated for as long as a load is
 * assigned, so nothing is queued here. A lane whose load failed is not tried again.
 *
 *     assigned ──► lanes that leave are offered no more ──► their batches end ──► unload, load
 */
export class LaneLoads {
  readonly #parts: LaneLoadsParts;
  readonly #failed = new Set<LaneId>();
  readonly #uses = new Map<LaneId, Omit<LaneUse, "lane">>();
  /** The lane that is loaded, or that waits for the batches of lanes that leave. */
  #next: { lane: LaneId; leaving: readonly LaneId[] } | undefined;
  /** When its load has begun; undefined while none runs. */
  #begunAt: number | undefined;
  /** How long the last load of each lane took. */
  readonly #loadMs = new Map<LaneId, number>();
  #isChanging = false;

  constructor(parts: LaneLoadsParts) {
    this.#parts = parts;
    const now = parts.clock.now();
    for (const { lane } of parts.engine.lanes) this.#uses.set(lane, newUse(now));
  }

  /** The loaded lanes, without those that leave. */
  get offered(): LoadedLane[] {
    return this.#parts.engine.lanes.filter(({ lane }) => this.#next?.leaving.includes(lane) !== true);
  }

  get loading(): LaneId | null {
    return this.#next?.lane ?? null;
  }

  /** The lanes that are not offered, and can be loaded. */
  loadable(): LoadableLane[] {
    const { lanes, clock } = this.#parts;
    const offered = new Set(this.offered.map(({ lane }) => lane));
    const now = clock.now();
    return lanes
      .filter((lane) => !this.#failed.has(lane) && !offered.has(lane))
      .map((lane) => {
        const loadMs = this.#loadMs.get(lane);
        const measured = loadMs === undefined ? {} : { loadMs };
        if (lane === this.#next?.lane) return { lane, unloads: [], at: this.#begunAt ?? now, ...measured };
        const { unloads, at } = this.#planFor(lane, now);
        return { lane, unloads, at: Math.max(now, at), ...measured };
      });
  }

  /** Notes tasks of teams in a lane. Anonymous calls keep no lane in memory, so they must not be noted. */
  use(lane: LaneId, tasks: number): void {
    const use = this.#uses.get(lane);
    if (use === undefined) return;
    const now = this.#parts.clock.now();
    use.recentTasks = stillRecent(use.recentTasks, now - use.usedAt) + tasks;
    use.usedAt = now;
  }

  /**
   * Begins the load that is assigned to this worker. Resolves when the lane is loaded, the load has failed,
   * or lanes that leave for it still have batches: a later state finds them idle.
   */
  async follow(pool: Pick<LaneState, "lane" | "load">[]): Promise<void> {
    if (this.#isChanging) return;
    const next = this.#nextOf(pool);
    const isNews = next?.lane !== this.#next?.lane || next?.leaving.length !== this.#next?.leaving.length;
    this.#next = next;
    if (isNews) this.#parts.onChange();
    if (next === undefined || next.leaving.some((lane) => this.#parts.holds(lane))) return;
    this.#isChanging = true;
    this.#begunAt = this.#parts.clock.now();
    for (const lane of next.leaving) await this.#unload(lane, next.lane);
    await this.#load(next.lane);
    this.#isChanging = false;
    this.#begunAt = undefined;
    this.#next = undefined;
    this.#parts.onChange();
  }

  #nextOf(pool: Pick<LaneState, "lane" | "load">[]): { lane: LaneId; leaving: LaneId[] } | undefined {
    const { worker, clock, lanes, engine } = this.#parts;
    const now = clock.now();
    for (const { lane, load } of pool) {
      if (load === null || load.worker !== worker || !lanes.includes(lane) || this.#failed.has(lane))
        continue;
      if (engine.lanes.some((each) => each.lane === lane)) continue;
      const { unloads, at } = this.#plan(lane, this.#usesOf(engine.lanes, now));
      if (unloads.length === 0 || (load.mayUnload && at <= now)) return { lane, leaving: unloads };
    }
    return undefined;
  }

  /** Plans what is loaded after the load that is under way. */
  #planFor(lane: LaneId, now: number): LoadPlan {
    const uses = this.#usesOf(this.offered, now);
    if (this.#next !== undefined) uses.push({ lane: this.#next.lane, ...newUse(now) });
    return this.#plan(lane, uses);
  }

  #plan(lane: LaneId, uses: readonly LaneUse[]): LoadPlan {
    const { memory, bytesMax } = this.#parts;
    return planLoad(lane, uses, { bytesOf: (lanes) => memory.bytesOf(lanes), bytesMax });
  }

  #usesOf(loaded: readonly LoadedLane[], now: number): LaneUse[] {
    return loaded.map(({ lane }) => {
      const use = this.#uses.get(lane) ?? newUse(now);
      return { lane, ...use, recentTasks: stillRecent(use.recentTasks, now - use.usedAt) };
    });
  }

  async #unload(lane: LaneId, wanted: LaneId): Promise<void> {
    const { engine, log } = this.#parts;
    this.#uses.delete(lane);
    // It fails only where the engine has ended, and then the process ends.
    await engine.unload(lane).catch((error: Error) => log.error({ lane, fault: error.message }, notUnloaded));
    log.info({ lane, wanted }, "unloaded the lane that was used least lately, for one that requests want");
  }

  async #load(lane: LaneId): Promise<void> {
    const { engine, log, memory, clock } = this.#parts;
    const startedAt = performance.now();
    try {
      await engine.load(lane);
      const now = clock.now();
      this.#uses.set(lane, newUse(now));
      // The clock is Redis's, and may be set back.
      this.#loadMs.set(lane, Math.max(0, now - (this.#begunAt ?? now)));
      const loaded = engine.lanes.find((each) => each.lane === lane);
      if (loaded !== undefined) {
        memory.learn(loaded);
        this.#parts.onLoaded(loaded);
      }
      const fields = {
        lane,
        ms: Math.round(performance.now() - startedAt),
        networks: networksOf(engine.lanes),
      };
      log.info(fields, "loaded a lane that a request wants");
    } catch (error) {
      this.#failed.add(lane);
      const fault = (error as Error).message;
      log.error({ lane, fault }, "a lane could not be loaded; it is not retried before a restart");
    }
  }
}

const newUse = (now: number): Omit<LaneUse, "lane"> => ({ loadedAt: now, usedAt: now, recentTasks: 0 });

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

const notUnloaded = "a lane could not be unloaded";

type LaneLoadsParts = {
  /** This process, as the pool's state names it. */
  worker: string;
  /** All lanes of the settings. */
  lanes: readonly LaneId[];
  engine: Pick<Engine, "lanes" | "load" | "unload">;
  memory: Pick<LaneMemory, "learn" | "bytesOf">;
  /** The most memory of all loaded lanes. */
  bytesMax: number;
  clock: Clock;
  log: Log;
  /** Whether the worker has batches of the lane. */
  holds(lane: LaneId): boolean;
  onLoaded(lane: LoadedLane): void;
  /** Called whenever a report would differ from the last one. */
  onChange(): void;
};
