import { ApiKey } from "@faceline/contracts/api-key";
import { apiKeyKey } from "@faceline/contracts/names";
import { readMessage } from "@faceline/contracts/runtime/message";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import type { Ports } from "./ports.ts";
import { Refusal } from "./refusal.ts";

const againAfterMs = 1_000;

/** API keys, as the durable Redis has them. One that does not parse is no key. */
export function openKeys(durable: RedisConnection): Ports["findKey"] {
  return async (sha256) => {
    const found = await durable.getBuffer(apiKeyKey(sha256)).catch(() => {
      throw new Refusal("dependency_unavailable", "Keys cannot be checked right now; try again shortly.", {
        retryAfterMs: againAfterMs,
      });
    });
    if (found === null) return null;
    const read = readMessage(ApiKey, found);
    return read.ok ? read.value : null;
  };
}
