import { findApiKey, recordKeysUsed } from "@faceline/contracts/runtime/api-keys";
import type { Clock } from "@faceline/contracts/runtime/clock";
import type { Log } from "@faceline/contracts/runtime/log";
import { readMessage } from "@faceline/contracts/runtime/message";
import {
  type DurableRedisConfig,
  type RedisConnection,
  subscribeDurable,
} from "@faceline/contracts/runtime/redis";
import { KeyChange } from "@faceline/contracts/stored/api-key";
import { keyChangesChannel } from "@faceline/contracts/wire/names";
import { KeyRing, type KeyRingLimits } from "./auth/key-ring.ts";
import type { Ports } from "./ports.ts";
import { Refusal } from "./refusal.ts";

const againAfterMs = 1_000;
/** When a key was last used is written down this often: the durable Redis writes to its disk for it. */
const noteEveryMs = 60_000;

/**
 * API keys, as the durable Redis has them, through a ring of those that were seen lately. What changes there is heard of
 * at once; a notice that is lost is healed by the ring's age.
 */
export async function openKeys({ durable, config, clock, log }: KeysParts): Promise<Keys> {
  const findKey = (sha256: string) =>
    findApiKey(durable, sha256).catch(() => {
      throw new Refusal("dependency_unavailable", "Keys cannot be checked right now; try again shortly.", {
        retryAfterMs: againAfterMs,
      });
    });
  const ring = new KeyRing({ clock, findKey }, config);
  const notices = await subscribeDurable(
    config,
    [keyChangesChannel],
    (message) => {
      const read = readMessage(KeyChange, message);
      if (!read.ok) return log.error({ reason: read.reason }, "a notice of keys could not be read");
      if ("team" in read.value) ring.doubt(read.value.team);
      else ring.forget(read.value.sha256);
    },
    () => ring.doubt(),
  );

  const usedAt = new Map<string, number>();
  const note = async () => {
    const noted = new Map(usedAt);
    usedAt.clear();
    // What cannot be written down is lost: the next use of the key says it again.
    await recordKeysUsed(durable, noted).catch(() => {});
  };
  const timer = setInterval(() => void note(), noteEveryMs);

  return {
    async find(sha256) {
      const found = await ring.find(sha256);
      // The ring bounds how many keys are known, and so how many are noted in a minute.
      if (found?.key.disabled === false) usedAt.set(sha256, Math.trunc(clock.now()));
      return found;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await note();
      await notices[Symbol.asyncDispose]();
    },
  };
}

type KeysParts = {
  durable: RedisConnection;
  config: DurableRedisConfig & KeyRingLimits;
  clock: Clock;
  log: Log;
};

export type Keys = AsyncDisposable & { find: Ports["findKey"] };
