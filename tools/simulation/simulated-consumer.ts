// Used by rebalance-simulation.ts. It speaks as runtime/src/kafka-consumer.ts does over kafkajs.
import type { Consumer, ConsumerOptions } from "@faceline/runtime/kafka-consumer";
import type { EventQueue } from "./event-queue.ts";
import type { Random } from "./random.ts";
import type { SimulatedKafka } from "./simulated-kafka.ts";

/**
 * A member of the group: it joins, reads on from the committed offset, and sends heartbeats between fetches.
 * While `connected` is false its requests time out; after a few of them it crashes, and restarts as a new
 * member.
 */
export class SimulatedConsumer implements Consumer {
  connected = true;
  /** Its id as a member of the consumer group. */
  member: string | undefined;
  readonly #parts: ConsumerParts;
  #generation = 0;
  /** Offset of the next fetch; undefined until it was read from Kafka. */
  #position: number | undefined;
  #partitions: number[] = [];
  #heartbeatAt = 0;
  /** Replies to requests of an earlier life are ignored. */
  #life = 0;
  #closed = false;

  constructor(parts: ConsumerParts) {
    this.#parts = parts;
    this.#join();
  }

  /** The group rebalances, and its members stay the same. */
  rejoin(): void {
    if (this.member !== undefined && this.connected) this.#join();
  }

  /** An error of kafkajs that it restarts after. It leaves the group if it can. */
  crash(): void {
    if (this.#closed) return;
    this.#life++;
    this.#parts.options.onAssignment([]);
    if (this.member !== undefined && this.connected) this.#parts.kafka.leave(this.member);
    this.member = undefined;
    this.#request(restartMs, () => this.#join());
  }

  /** The process is gone; Kafka notices when the session is over. */
  die(): void {
    this.#closed = true;
    this.#life++;
  }

  async commit(_partition: number, nextOffset: string): Promise<boolean> {
    const { kafka, random } = this.#parts;
    const [member, generation, life] = [this.member, this.#generation, this.#life];
    await new Promise<void>((resolve) => this.#parts.events.after(this.#hopMs(), resolve));
    if (life !== this.#life || member === undefined || !this.connected || random.next() < 0.02) return false;
    return kafka.commit(member, generation, Number(nextOffset));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.die();
    if (this.member !== undefined && this.connected) this.#parts.kafka.leave(this.member);
  }

  #join(): void {
    const { kafka, events, options, sessionMs } = this.#parts;
    if (!this.connected) return this.#request(requestMs, () => this.crash());
    const life = ++this.#life;
    kafka.join(this.member, (member, generation) => {
      if (life !== this.#life) return;
      this.#request(this.#hopMs(), () => {
        if (!this.connected) return this.crash();
        this.member = member;
        this.#generation = generation;
        options.onSession?.(0);
        const sentAt = events.now;
        this.#request(this.#hopMs(), () => {
          const isMember = kafka.sync(member, generation, (partitions) => {
            this.#request(this.#hopMs(), () => {
              if (!this.connected) return this.crash();
              this.#partitions = partitions;
              this.#position = undefined;
              options.onAssignment(partitions);
              options.onSession?.(sentAt + sessionMs - events.now);
              this.#read();
            });
          });
          if (!isMember) this.#join();
        });
      });
    });
  }

  #read(failures = 0): void {
    if (!this.connected) return this.#fail(failures);
    const { kafka, options } = this.#parts;
    this.#position ??= kafka.committed;
    const position = this.#partitions.includes(0) ? this.#position : Number.POSITIVE_INFINITY;
    const life = this.#life;
    kafka.fetch(position, fetchWaitMs, (fetched) => {
      if (life !== this.#life) return;
      this.#request(this.#hopMs(), () => {
        if (!this.connected) return this.#fail(failures);
        const messages = fetched.map((value, index) => ({ offset: `${position + index}`, value }));
        if (messages.length > 0) {
          this.#position = position + messages.length;
          options.onMessages(0, messages, () => {});
        }
        this.#heartbeat();
      });
    });
  }

  #heartbeat(failures = 0): void {
    const { kafka, events, options, sessionMs } = this.#parts;
    if (events.now < this.#heartbeatAt + heartbeatEveryMs) return this.#read();
    const sentAt = events.now;
    this.#request(this.#hopMs(), () => {
      if (!this.connected) return this.#fail(failures);
      const reply = kafka.heartbeat(this.member!, this.#generation);
      this.#request(this.#hopMs(), () => {
        if (!this.connected) return this.#fail(failures);
        switch (reply) {
          case "ok":
            this.#heartbeatAt = events.now;
            options.onSession?.(sentAt + sessionMs - events.now);
            return this.#read();
          case "unknown":
            this.member = undefined;
            return this.#join();
          case "rebalancing":
            return this.#join();
        }
      });
    });
  }

  #fail(failures: number): void {
    if (failures === failuresMax) return this.crash();
    // A request times out after a second, but finding the coordinator again is tried several times.
    this.#request(requestMs * (1 + 2 * this.#parts.random.next()), () => this.#read(failures + 1));
  }

  /** Runs `act` after `ms`, unless this life has ended by then. */
  #request(ms: number, act: () => void): void {
    const life = this.#life;
    this.#parts.events.after(ms, () => {
      if (life === this.#life && !this.#closed) act();
    });
  }

  #hopMs(): number {
    const { random } = this.#parts;
    return random.next() < 0.02 ? hopMaxMs * random.next() : 0.3 + random.exponential(1);
  }
}

/** No reply takes longer on its way. */
export const hopMaxMs = 200;
const fetchWaitMs = 250;
const heartbeatEveryMs = 250;
const requestMs = 1_000;
const restartMs = 300;
/** Retries of kafkajs before it crashes. */
const failuresMax = 2;

type ConsumerParts = {
  kafka: SimulatedKafka;
  events: EventQueue;
  random: Random;
  sessionMs: number;
  options: ConsumerOptions;
};
