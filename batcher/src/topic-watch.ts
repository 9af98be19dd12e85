import { deadLetterTopic } from "@faceline/contracts/wire/names";
import { bestEffort } from "@faceline/runtime/best-effort";
import { causes, type openAdmin } from "@faceline/runtime/kafka";
import type { Log } from "@faceline/runtime/log";
import type { WantedTopic } from "@faceline/runtime/pool-topics";

/**
 * Creates deleted topics of the pool again, as set-up would. Every batcher checks, standbys too: without the
 * tasks topic none is active. If two create the same topic, Kafka takes the first. A batcher that may not
 * create topics names the missing ones.
 */
export class TopicWatch implements AsyncDisposable {
  readonly #parts: TopicWatchParts;
  readonly #wanted: Map<string, WantedTopic>;
  #admin: Promise<TopicAdmin> | undefined;
  #missing: string[] = [];
  #failure: string | undefined;
  #createAt = Number.NEGATIVE_INFINITY;
  #checking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(parts: TopicWatchParts) {
    this.#parts = parts;
    this.#wanted = new Map(parts.topics.map((each) => [each.topic, each]));
  }

  /** Checks once, so that consumers find their topics, and then continuously. */
  static async open(parts: TopicWatchParts): Promise<TopicWatch> {
    const watch = new TopicWatch(parts);
    await watch.check();
    watch.#checkLater();
    return watch;
  }

  /** The missing topics without which requests are refused. */
  get missing(): string[] {
    return this.#missing.filter((topic) => topic !== deadLetterTopic);
  }

  /** Looks for the topics, and creates those that are missing. Never throws. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined));
    return this.#checking;
  }

  #checkLater(): void {
    const inMs = this.#missing.length === 0 ? checkEveryMs : checkMissingEveryMs;
    this.#timer = setTimeout(() => void this.check().then(() => this.#closed || this.#checkLater()), inMs);
  }

  async #check(): Promise<void> {
    try {
      const admin = await (this.#admin ??= this.#parts.openAdmin());
      this.#missing = await missingTopics(admin, [...this.#wanted.keys()]);
      if (this.#missing.length > 0 && performance.now() >= this.#createAt) await this.#create(admin);
      if (this.#missing.length === 0) {
        this.#failure = undefined;
        this.#createAt = Number.NEGATIVE_INFINITY;
      }
    } catch {
      // Other code notices that Kafka is down, and reports it.
      this.#close();
    }
  }

  async #create(admin: TopicAdmin): Promise<void> {
    const { log } = this.#parts;
    const missing = this.#missing;
    this.#createAt = performance.now() + createAgainAfterMs;
    try {
      const topics = missing.map((topic) => this.#wanted.get(topic)!);
      const isFirst = await admin.createTopics({ topics, waitForLeaders: false });
      if (isFirst) log.warn({ topics: missing }, "missing topics were recreated, without their messages");
      this.#missing = await missingTopics(admin, missing);
    } catch (error) {
      const reason = refusalOf(error);
      if (reason === this.#failure) return;
      this.#failure = reason;
      log.error({ topics: missing, reason }, "missing topics could not be recreated: run set-up");
    }
  }

  #close(): void {
    const admin = this.#admin;
    this.#admin = undefined;
    if (admin !== undefined)
      bestEffort(
        "kafka_disconnect",
        admin.then((each) => each.disconnect()),
      );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#checking;
    this.#close();
  }
}

/** Returns which of the topics do not exist. One that may not be looked at counts as existing. */
async function missingTopics(admin: TopicAdmin, topics: string[]): Promise<string[]> {
  const missing: string[] = [];
  try {
    await admin.fetchTopicMetadata({ topics });
    return missing;
  } catch (error) {
    // The error does not say which topic.
    if (!isRefusal(error)) throw error;
  }
  for (const topic of topics) {
    try {
      await admin.fetchTopicMetadata({ topics: [topic] });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (typesOf(error).includes("UNKNOWN_TOPIC_OR_PARTITION")) missing.push(topic);
    }
  }
  return missing;
}

const isRefusal = (error: unknown): boolean =>
  causes(error).some(({ name }) => name === "KafkaJSProtocolError");

const typesOf = (error: unknown): unknown[] => causes(error).map((each) => (each as { type?: unknown }).type);

/** The answer to a creation holds an error for each topic. */
const refusalOf = (error: unknown): string => {
  const [first] = (error as { errors?: Error[] }).errors ?? [];
  return (first ?? (error as Error)).message;
};

/** Time until it is served again: this check, the creation, and the consumers' next join take up to 5 s. */
const checkEveryMs = 2_000;
/** Brokers know a new topic some ms after the controller. */
const checkMissingEveryMs = 250;
/** The pause before the same creation is tried again. */
const createAgainAfterMs = 10_000;

type TopicAdmin = Pick<
  Awaited<ReturnType<typeof openAdmin>>,
  "createTopics" | "fetchTopicMetadata" | "disconnect"
>;

type TopicWatchParts = {
  topics: WantedTopic[];
  openAdmin(): Promise<TopicAdmin>;
  log: Pick<Log, "warn" | "error">;
};
