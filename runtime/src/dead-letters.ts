import type { TaskId } from "@faceline/contracts/wire/ids";
import { deadLetterTopic } from "@faceline/contracts/wire/names";
import { bestEffort } from "./best-effort.ts";
import type { Producer } from "./kafka-producer.ts";
import { taskIds } from "./log-ids.ts";
import type { DedupedLog } from "./deduped-log.ts";

/**
 * Records what could not be read or processed: ids and a reason, never content. It has its own producer,
 * which opens with the first letter, so a missing or forbidden topic affects nothing else. A letter that
 * cannot be written is counted and not retried. The first such letter is logged whole, those that follow
 * within seconds by their request ids.
 */
export class DeadLetters implements AsyncDisposable {
  readonly #parts: DeadLettersParts;
  #producer: Promise<LetterProducer> | undefined;
  #writing = 0;
  #recorded = 0;

  constructor(parts: DeadLettersParts) {
    this.#parts = parts;
  }

  /** Letters so far, including those that could not be written. */
  get recorded(): number {
    return this.#recorded;
  }

  /** Writes a letter in the background. Never throws. */
  record(letter: DeadLetter): void {
    this.#recorded++;
    bestEffort("dead_letter", this.#write(letter));
  }

  async #write(letter: DeadLetter): Promise<void> {
    this.#writing++;
    try {
      if (this.#writing > writingMax) throw new Error("too many dead letters wait for Kafka");
      const producer = await this.#open();
      await producer.send(deadLetterTopic, 0, null, letter);
    } catch (error) {
      const reason = (error as Error).message;
      const ids = "task" in letter ? taskIds({ id: letter.task, traceparent: letter.traceparent }) : {};
      this.#parts.log.error({ reason, ...ids, letter }, "a dead letter could not be written");
      throw error;
    } finally {
      this.#writing--;
    }
  }

  #open(): Promise<LetterProducer> {
    this.#producer ??= this.#parts.openProducer().catch((error: unknown) => {
      this.#producer = undefined;
      throw error;
    });
    return this.#producer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const producer = await this.#producer?.catch(() => undefined);
    await producer?.[Symbol.asyncDispose]();
  }
}

const writingMax = 1_000;

/** The headers of the record. */
type DeadLetter =
  | { topic: string; partition: string; offset: string; reason: string }
  | { topic: string; task: TaskId; requestId: string; traceparent: string; reason: string };

type LetterProducer = Pick<Producer, "send"> & AsyncDisposable;

type DeadLettersParts = {
  openProducer(): Promise<LetterProducer>;
  log: Pick<DedupedLog, "error">;
};
