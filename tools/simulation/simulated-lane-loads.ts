// Used by simulated-worker.ts. It behaves as inference/src/lane-loads.ts with inference/src/load-plan.ts
// does, whose tests describe the order of steps; all lanes take the same memory here.
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { LaneState } from "@faceline/contracts/wire/pool-state";
import { type LoadableLane, type LoadedLane, laneStayMs } from "@faceline/contracts/wire/report";
import type { EventQueue } from "./event-queue.ts";

/** The lanes of a worker with memory for some of them: loads those that the batcher asks it for. */
export class SimulatedLaneLoads {
  readonly #parts: LaneLoadsParts;
  #loaded: LoadedLane[];
  readonly #uses = new Map<LaneId, LaneUse>();
  readonly #loadMs = new Map<LaneId, number>();
  /** The lane that is loaded, or that waits for the batches of lanes that leave. */
  #next: { lane: LaneId; leaving: readonly LaneId[] } | undefined;
  /** When its load has begun. */
  #begunAt: number | undefined;

  constructor(parts: LaneLoadsParts) {
    this.#parts = parts;
    this.#loaded = parts.lanes.slice(0, parts.memory.loadedAtStart);
    const { now } = parts.events;
    for (const { lane } of this.#loaded) this.#uses.set(lane, newUse(now));
  }

  /** The loaded lanes, without those that leave. */
  get offered(): LoadedLane[] {
    return this.#loaded.filter(({ lane }) => this.#next?.leaving.includes(lane) !== true);
  }

  get loading(): LaneId | null {
    return this.#next?.lane ?? null;
  }

  /** The lanes that are not offered, and can be loaded. */
  get loadable(): LoadableLane[] {
    const { lanes, events } = this.#parts;
    const { now } = events;
    const offered = this.offered.map(({ lane }) => lane);
    return lanes
      .filter(({ lane }) => !offered.includes(lane))
      .map(({ lane }) => {
        const loadMs = this.#loadMs.get(lane);
        const measured = loadMs === undefined ? {} : { loadMs };
        if (lane === this.#next?.lane) return { lane, unloads: [], at: this.#begunAt ?? now, ...measured };
        // After the load that is under way.
        const kept = this.#next === undefined ? offered : [...offered, this.#next.lane];
        const { unloads, at } = this.#plan(kept);
        return { lane, unloads, at: Math.max(now, at), ...measured };
      });
  }

  /** Notes tasks of teams in a lane. */
  use(lane: LaneId, tasks: number): void {
    const { now } = this.#parts.events;
    const use = this.#uses.get(lane);
    if (use !== undefined)
      this.#uses.set(lane, { ...use, usedAt: now, recentTasks: recent(use, now) + tasks });
  }

  /** A state of the pool has come. */
  follow(pool: readonly LaneState[]): void {
    if (this.#begunAt !== undefined) return;
    const { events, memory, holds, later, onChange, loadBegan } = this.#parts;
    const before = this.#next;
    this.#next = this.#nextOf(pool);
    const { lane, leaving } = this.#next ?? { lane: undefined, leaving: [] };
    if (lane !== before?.lane || leaving.length !== before?.leaving.length) onChange();
    if (lane === undefined || leaving.some(holds)) return;
    this.#begunAt = events.now;
    for (const each of leaving) this.#uses.delete(each);
    this.#loaded = this.#loaded.filter((each) => !leaving.includes(each.lane));
    loadBegan?.(lane, leaving, events.now);
    later(memory.loadMs(lane), () => this.#endLoad(lane));
  }

  #endLoad(lane: LaneId): void {
    const { events, lanes, onChange } = this.#parts;
    this.#loaded.push(lanes.find((each) => each.lane === lane)!);
    this.#uses.set(lane, newUse(events.now));
    this.#loadMs.set(lane, events.now - this.#begunAt!);
    this.#begunAt = undefined;
    this.#next = undefined;
    onChange();
  }

  #nextOf(pool: readonly LaneState[]): { lane: LaneId; leaving: LaneId[] } | undefined {
    const loaded = this.#loaded.map((each) => each.lane);
    for (const { lane, load } of pool) {
      if (load?.worker !== this.#parts.worker || loaded.includes(lane)) continue;
      const { unloads, at } = this.#plan(loaded);
      const mayLeave = load.mayUnload && at <= this.#parts.events.now;
      if (unloads.length === 0 || mayLeave) return { lane, leaving: unloads };
    }
    return undefined;
  }

  /** Plans which lanes leave for one more beside these: those that were used least lately. */
  #plan(lanes: readonly LaneId[]): { unloads: LaneId[]; at: number } {
    const { now } = this.#parts.events;
    const useOf = (lane: LaneId) => this.#uses.get(lane) ?? newUse(now);
    const rankOf = (lane: LaneId) => Math.floor(Math.log(1 + recent(useOf(lane), now)) / Math.log(4));
    const unloads = lanes
      .toSorted((a, b) => rankOf(b) - rankOf(a) || useOf(b).usedAt - useOf(a).usedAt)
      .slice(this.#parts.memory.lanesMax - 1);
    const at = Math.max(
      Number.NEGATIVE_INFINITY,
      ...unloads.map((lane) => useOf(lane).loadedAt + laneStayMs),
    );
    return { unloads, at };
  }
}

const newUse = (now: number): LaneUse => ({ loadedAt: now, usedAt: now, recentTasks: 0 });

const recent = ({ recentTasks, usedAt }: LaneUse, now: number): number =>
  recentTasks * Math.exp((usedAt - now) / 30_000);

type LaneUse = { loadedAt: number; usedAt: number; recentTasks: number };

/** Memory for the models of a worker. */
export type LaneMemoryModel = {
  /** The most lanes that fit. */
  lanesMax: number;
  /** How many of its lanes are loaded at its start: the first ones. */
  loadedAtStart: number;
  /** How long a load takes. */
  loadMs(lane: LaneId): number;
};

/** Called when a load begins. */
export type LoadBegan = (lane: LaneId, leaving: readonly LaneId[], now: number) => void;

type LaneLoadsParts = {
  /** This process, as the pool's state names it. */
  worker: string;
  lanes: readonly LoadedLane[];
  memory: LaneMemoryModel;
  events: EventQueue;
  /** Whether the worker has batches of the lane. */
  holds(lane: LaneId): boolean;
  /** Runs something after a time, if the worker is alive then. */
  later(ms: number, act: () => void): void;
  /** Called whenever a report would differ from the last one. */
  onChange(): void;
  loadBegan: LoadBegan | undefined;
};
