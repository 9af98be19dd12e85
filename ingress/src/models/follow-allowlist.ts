import { setTimeout as sleep } from "node:timers/promises";
import {
  AllowlistNotice,
  type AllowlistReply,
  readAllowlist,
} from "@faceline/accounts/models/allowlist-store";
import { bestEffort } from "@faceline/runtime/best-effort";
import type { Log } from "@faceline/runtime/log";
import { readMessage } from "@faceline/runtime/message";
import type { DurableRedisConfig, RedisConnection } from "@faceline/runtime/redis";
import { subscribeDurable } from "@faceline/runtime/redis-subscription";
import { allowlistChannel, allowlistRepliesChannel } from "@faceline/contracts/wire/names";
import type { LoadedModels } from "./loaded-models.ts";

/** How soon the record is read again after a failure: at most this much later than Redis is back. */
const retryMs = 250;
/** Operators who wait for a reply at a time. The oldest ones go first: they wait no longer than a second. */
const askersMax = 32;

/**
 * Lets `models` follow the record of the operators: it is read at the start, after each notice, and after
 * every reconnect, because notices may be lost in between. While it cannot be read, what was read last stays
 * enabled: at first what the settings say. Returns when it was read or could not be.
 */
export async function followAllowlist(parts: FollowParts): Promise<AsyncDisposable> {
  const { config, log } = parts;
  const reader = new AllowlistReader(parts);
  const notices = await subscribeDurable(
    config,
    [allowlistChannel],
    (bytes) => {
      const message = readMessage(AllowlistNotice, bytes);
      if (message.ok) reader.readFor(message.value.replyTo);
      else log.error({ reason: message.reason }, "a notice of the allowlist could not be read");
    },
    () => reader.read(),
  );
  reader.read();
  await reader.firstTry;
  return {
    async [Symbol.asyncDispose]() {
      await notices[Symbol.asyncDispose]();
      reader.end();
    },
  };
}

/** Reads the record once at a time. What comes while it is being read makes it be read again. */
class AllowlistReader {
  readonly #parts: FollowParts;
  readonly #ended = new AbortController();
  readonly #firstTry = Promise.withResolvers<void>();
  readonly #askers = new Set<string>();
  #isDue = false;
  #isReading = false;
  /** The reason of the last failure, so that it is logged once. */
  #failure: string | undefined;
  /** The last record that was followed, as JSON: what is equal is not logged again. */
  #followed: string | undefined;

  constructor(parts: FollowParts) {
    this.#parts = parts;
  }

  get firstTry(): Promise<void> {
    return this.#firstTry.promise;
  }

  /** Reads the record, and replies to the asker then. */
  readFor(asker: string): void {
    const [oldest] = this.#askers;
    if (oldest !== undefined && this.#askers.size >= askersMax) this.#askers.delete(oldest);
    this.#askers.add(asker);
    this.read();
  }

  read(): void {
    this.#isDue = true;
    if (!this.#isReading) void this.#readWhileDue();
  }

  end(): void {
    this.#ended.abort();
  }

  async #readWhileDue(): Promise<void> {
    this.#isReading = true;
    while (this.#isDue && !this.#ended.signal.aborted) {
      this.#isDue = false;
      const askers = [...this.#askers];
      const version = await this.#readOnce();
      this.#firstTry.resolve();
      if (version === undefined) {
        this.#isDue = true;
        await sleep(retryMs, undefined, { signal: this.#ended.signal }).catch(() => {});
        continue;
      }
      for (const asker of askers) {
        this.#askers.delete(asker);
        this.#reply(asker, version);
      }
    }
    this.#isReading = false;
  }

  /** Returns the version that is followed now, or undefined if the record could not be read. Never throws. */
  async #readOnce(): Promise<number | undefined> {
    const { durable, models, log } = this.#parts;
    try {
      const { json, allowlist } = await readAllowlist(durable);
      if (this.#failure !== undefined) log.info("the allowlist of models can be read again");
      this.#failure = undefined;
      const version = allowlist?.version ?? 0;
      if (json === this.#followed) return version;
      const ignored = models.follow(allowlist);
      // Without a record the settings decide, as they did at the start.
      if (version > 0 || this.#followed !== undefined)
        log.info({ version, ...models.enabled.selection }, "models enabled");
      for (const reason of ignored) log.warn({ version, reason }, "part of the allowlist does not fit here");
      this.#followed = json;
      return version;
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.#failure) {
        log.warn({ reason: message }, "the allowlist of models cannot be read; what was enabled stays so");
      }
      this.#failure = message;
      return undefined;
    }
  }

  #reply(asker: string, version: number): void {
    const { durable, ingress, models } = this.#parts;
    const { loaded, enabled } = models;
    const reply: AllowlistReply = { ingress, version, loaded, enabled: enabled.selection };
    // An asker without a reply counts this ingress as away.
    bestEffort("allowlist_reply", durable.publish(allowlistRepliesChannel(asker), JSON.stringify(reply)));
  }
}

type FollowParts = {
  durable: RedisConnection;
  config: DurableRedisConfig;
  ingress: string;
  models: LoadedModels;
  log: Log;
};
