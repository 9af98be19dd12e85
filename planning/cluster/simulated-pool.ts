import { hasJumped } from "@faceline/batcher/scheduling/pool-state";
import type { EventQueue } from "@faceline/batcher/simulation/event-queue";
import { LaneId } from "@faceline/contracts/wire/ids";
import type { LaneState, PoolState } from "@faceline/contracts/wire/pool-state";
import { lane } from "./choices.ts";
import { batchMax, hops, runMs } from "./cluster.ts";

/**
 * A pool as the ingresses see it: a queue, accelerators that take up to 32 tasks at a time, and states. It
 * refuses a call that would be late or wait longer than in a healthy queue, by the rules of the batcher
 * (batcher/src/scheduling/admission.ts). States are published when the batcher would publish them: every 100
 * ms if they have changed, every 500 ms otherwise, and at once after a jump.
 */
export class SimulatedPool {
  readonly name: string;
  readonly #parts: PoolParts;
  /** When each accelerator is free, in the order of time. */
  readonly #freeAt: number[];
  /** The tasks that wait, each as its call, from `#head` on. */
  #queue: PendingCall[] = [];
  #head = 0;
  #isLost = false;
  #sequence = 0;
  #published: LaneState[] = [];
  #publishedAt = Number.NEGATIVE_INFINITY;
  #willCompare = false;

  constructor(parts: PoolParts) {
    this.name = parts.name;
    this.#parts = parts;
    this.#freeAt = Array.from({ length: parts.accelerators }, () => 0);
    parts.events.after(parts.firstStateMs, () => this.#publishRegularly());
  }

  /** Runs the tasks of a call or refuses it. A lost pool does neither, and sends no reply. */
  receive(call: PendingCall): void {
    if (this.#isLost) return;
    const { events, answered, refused } = this.#parts;
    const startsAt = this.#startOf(this.#waiting + call.tasks - 1);
    const isLate = startsAt + runMs(batchMax) + hops.replyMs > call.deadlineAt;
    const waitMaxMs = Math.max(1.5 * runMs(batchMax), 0.25 * (call.deadlineAt - events.now));
    if (isLate || startsAt - events.now > waitMaxMs) {
      events.after(hops.replyMs, () => refused(call));
      return;
    }
    for (let task = 0; task < call.tasks; task++) this.#queue.push(call);
    this.#startRuns(answered);
    this.#stateChanged();
  }

  /** The pool ends without a word: neither what it has nor what comes is answered. */
  lose(): void {
    this.#isLost = true;
  }

  #startRuns(answered: (call: PendingCall) => void): void {
    const { events } = this.#parts;
    while (this.#waiting > 0 && this.#freeAt[0]! <= events.now) {
      const batch = this.#queue.slice(this.#head, this.#head + batchMax);
      this.#head += batch.length;
      if (this.#head > 4_096) {
        this.#queue = this.#queue.slice(this.#head);
        this.#head = 0;
      }
      const endsAt = events.now + runMs(batch.length);
      this.#freeAt[0] = endsAt;
      this.#freeAt.sort((one, other) => one - other);
      events.at(endsAt, () => this.#endRun(batch, answered));
    }
  }

  #endRun(batch: PendingCall[], answered: (call: PendingCall) => void): void {
    if (this.#isLost) return;
    for (const call of batch) {
      if (--call.left === 0) this.#parts.events.after(hops.replyMs, () => answered(call));
    }
    this.#startRuns(answered);
    this.#stateChanged();
  }

  get #waiting(): number {
    return this.#queue.length - this.#head;
  }

  /** When a task would start that has so many before it, if full batches are run from now on. */
  #startOf(position: number): number {
    const batches = Math.floor(position / batchMax);
    const turns = Math.floor(batches / this.#freeAt.length);
    const first = Math.max(this.#parts.events.now, this.#freeAt[batches % this.#freeAt.length]!);
    return first + turns * runMs(batchMax);
  }

  #lanes(): LaneState[] {
    const { accelerators, events } = this.#parts;
    return [
      {
        lane: LaneId.parse(lane),
        build: null,
        waiting: this.#waiting,
        workers: accelerators,
        loadable: 0,
        load: null,
        expectedWaitMs: Math.round(this.#startOf(this.#waiting) - events.now),
        bestEffortWaitMs: null,
        expectedRunMs: Math.round(runMs(1)),
        taskMs: Math.round((1_000 * runMs(batchMax)) / batchMax / accelerators) / 1_000,
        batchMax,
        executionProvider: "model",
        precisions: [],
      },
    ];
  }

  #publishRegularly(): void {
    if (this.#isLost) return;
    const { events } = this.#parts;
    const lanes = this.#lanes();
    const [before, now] = [this.#published[0], lanes[0]!];
    const isSame = before?.waiting === now.waiting && before.expectedWaitMs === now.expectedWaitMs;
    if (!isSame || events.now >= this.#publishedAt + unchangedEveryMs) this.#publish(lanes);
    events.after(stateEveryMs, () => this.#publishRegularly());
  }

  /** The batcher compares at most every 5 ms. */
  #stateChanged(): void {
    if (this.#willCompare) return;
    this.#willCompare = true;
    this.#parts.events.after(compareEveryMs, () => {
      this.#willCompare = false;
      const lanes = this.#lanes();
      if (!this.#isLost && hasJumped(this.#published, lanes)) this.#publish(lanes);
    });
  }

  #publish(lanes: LaneState[]): void {
    const { events, name, publish } = this.#parts;
    this.#published = lanes;
    this.#publishedAt = events.now;
    publish({ pool: name, batcher: batcherId, sequence: this.#sequence++, sentAt: events.now, lanes });
  }
}

const batcherId = "batcher-0000000000000000";
/** The default of POOL_STATE_EVERY_MS, and the constants of batcher/src/pool-outbox.ts. */
const stateEveryMs = 100;
const unchangedEveryMs = 500;
const compareEveryMs = 5;

/** A call on its way; `left` counts the tasks that have not been run. */
export type PendingCall = {
  ingress: number;
  arrivedAt: number;
  deadlineAt: number;
  tasks: number;
  left: number;
};

type PoolParts = {
  name: string;
  accelerators: number;
  events: EventQueue;
  /** From the start to its first state, so that pools do not publish at the same instant. */
  firstStateMs: number;
  publish(state: PoolState): void;
  answered(call: PendingCall): void;
  refused(call: PendingCall): void;
};
