import { findApiKey, recordKeysUsed } from "@faceline/accounts/keys/api-keys";
import { bestEffort } from "@faceline/runtime/best-effort";
import type { Clock } from "@faceline/runtime/clock";
import type { Log } from "@faceline/runtime/log";
import { readMessage } from "@faceline/runtime/message";
import type { DurableRedisConfig, RedisConnection } from "@faceline/runtime/redis";
import { subscribeDurable } from "@faceline/runtime/redis-subscription";
import { Stopwatch } from "@faceline/runtime/starvation";
import { KeyChange } from "@faceline/contracts/stored/api-key";
import { keyChangesChannel } from "@faceline/contracts/wire/names";
import { dependencyUnavailable } from "../call/refusal-cause.ts";
import type { Ports } from "../call/ports.ts";
import { KeyCache } from "./key-cache.ts";

/** When each key was last used is recorded this often; each record makes the durable Redis write to disk. */
const recordUsedEveryMs = 60_000;

/**
 * The API keys of the durable Redis, behind a cache. Changes are published, and take effect at once; a notice
 * that is lost takes effect when the cached record expires.
 */
export async function openKeyStore({ durable, config, clock, log }: KeyStoreParts): Promise<KeyStore> {
  const findKey = (sha256: string) => {
    const lookup = new Stopwatch();
    return findApiKey(durable, sha256).catch(() => {
      // A connection that is down knows the reason: reopening it may have been refused.
      const isStarved = durable.isResponsive ? lookup.isStarved : durable.isStarved;
      throw dependencyUnavailable("redis-durable", isStarved);
    });
  };
  const cache = new KeyCache({ clock, findKey });
  const notices = await subscribeDurable(
    config,
    [keyChangesChannel],
    (bytes) => {
      const message = readMessage(KeyChange, bytes);
      if (!message.ok) return log.error({ reason: message.reason }, "a notice of keys could not be read");
      if ("team" in message.value) cache.invalidate(message.value.team);
      else cache.remove(message.value.sha256);
    },
    () => cache.invalidate(),
  );

  const usedAt = new Map<string, number>();
  const recordUsed = async () => {
    const batch = new Map(usedAt);
    usedAt.clear();
    const recorded = recordKeysUsed(durable, batch);
    // A lost record is replaced at the next use of the key.
    bestEffort("keys_used_record", recorded);
    await Promise.allSettled([recorded]);
  };
  const timer = setInterval(() => void recordUsed(), recordUsedEveryMs);

  return {
    async find(sha256) {
      const record = await cache.find(sha256);
      // The bound of the cache also bounds this map.
      if (record?.key.disabled === false) usedAt.set(sha256, Math.trunc(clock.now()));
      return record;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await recordUsed();
      await notices[Symbol.asyncDispose]();
    },
  };
}

type KeyStoreParts = {
  durable: RedisConnection;
  config: DurableRedisConfig;
  clock: Clock;
  log: Log;
};

type KeyStore = AsyncDisposable & { find: Ports["findKey"] };
