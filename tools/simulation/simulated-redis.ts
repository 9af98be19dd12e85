// Used by rebalance-simulation.ts.
import type { Answer } from "@faceline/contracts/wire/answer";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { answerKey } from "@faceline/contracts/wire/names";
import { noWait } from "@faceline/contracts/wire/timing";
import type { EventQueue } from "./event-queue.ts";
import type { Random } from "./random.ts";
import { simulatedBuild } from "./worker-model.ts";

/** The answers in the volatile Redis. Pipelines come back late or fail, applied or not. */
export class SimulatedRedis {
  /** Share of the pipelines that are slow, and of those that fail. */
  troubles = 0;
  readonly #answers = new Map<string, Buffer>();
  readonly #events: EventQueue;
  readonly #random: Random;

  constructor(events: EventQueue, random: Random) {
    this.#events = events;
    this.#random = random;
  }

  /** A worker's answer, which is there at once: its report waits for it. */
  answer(task: TaskId): void {
    const answer: Answer = {
      task,
      outcome: { kind: "rejected", code: "no_face_detected" },
      timing: { ...noWait, prepareMs: 0, runMs: 0, answerMs: 0 },
      build: simulatedBuild,
    };
    this.#store(answerKey(task), JSON.stringify(answer));
  }

  #store(key: string, json: string): void {
    if (!this.#answers.has(key)) this.#answers.set(key, Buffer.from(json));
  }

  isAnswered(task: TaskId): boolean {
    return this.#answers.has(answerKey(task));
  }

  pipeline(): Pipeline {
    const commands: (() => unknown)[] = [];
    return {
      exists: (key) => void commands.push(() => (this.#answers.has(key) ? 1 : 0)),
      // NX: the first answer stands.
      set: (key, json) => void commands.push(() => this.#store(key, json)),
      getBuffer: (key) => void commands.push(() => this.#answers.get(key) ?? null),
      publish: () => void commands.push(() => 1),
      exec: () => this.#run(commands),
    };
  }

  async #run(commands: (() => unknown)[]): Promise<[Error | null, unknown][]> {
    const random = this.#random;
    await this.#pass(this.#isTrouble() ? commandMs * random.next() : random.exponential(1));
    const isFailure = this.#isTrouble();
    const isApplied = !isFailure || random.next() < 0.5;
    const replies = isApplied ? commands.map((run): [null, unknown] => [null, run()]) : [];
    await this.#pass(this.#isTrouble() ? commandMs * random.next() : random.exponential(1));
    if (isFailure) throw new Error("Command timed out");
    return replies;
  }

  #isTrouble(): boolean {
    return this.#random.next() < this.troubles;
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => this.#events.after(ms, resolve));
  }
}

/** The default of REDIS_COMMAND_MS. */
const commandMs = 1_000;

type Pipeline = {
  exists(key: string): void;
  set(key: string, json: string): void;
  getBuffer(key: string): void;
  publish(): void;
  exec(): Promise<[Error | null, unknown][]>;
};
