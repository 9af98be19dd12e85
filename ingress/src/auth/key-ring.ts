import type { ApiKey } from "@faceline/contracts/api-key";
import type { Ports } from "../ports.ts";
import { Refusal } from "../refusal.ts";

/**
 * The keys that were seen lately, by their SHA-256, so that a call need not ask Redis. Only keys that exist are kept:
 * a flood of made-up ones pushes nobody out. While the durable Redis is away, known keys go on for a while.
 */
export class KeyRing {
  readonly #ports: Pick<Ports, "clock" | "findKey">;
  readonly #limits: KeyRingLimits;
  /** Oldest first. */
  readonly #known = new Map<string, { key: ApiKey; foundAt: number }>();
  /** Calls that come together with one key ask once. */
  readonly #asked = new Map<string, Promise<ApiKey | null>>();

  constructor(ports: Pick<Ports, "clock" | "findKey">, limits: KeyRingLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  async find(sha256: string): Promise<ApiKey | null> {
    const known = this.#known.get(sha256);
    const ageMs = known === undefined ? Infinity : this.#ports.clock.now() - known.foundAt;
    if (known !== undefined && ageMs < this.#limits.KEY_CACHE_MS) return known.key;
    try {
      return await this.#ask(sha256);
    } catch (error) {
      const away = error instanceof Refusal && error.code === "dependency_unavailable";
      if (away && known !== undefined && ageMs < this.#limits.KEY_CACHE_WITHOUT_REDIS_MS) return known.key;
      throw error;
    }
  }

  #ask(sha256: string): Promise<ApiKey | null> {
    const asked = this.#asked.get(sha256) ?? this.#look(sha256).finally(() => this.#asked.delete(sha256));
    this.#asked.set(sha256, asked);
    return asked;
  }

  async #look(sha256: string): Promise<ApiKey | null> {
    const key = await this.#ports.findKey(sha256);
    this.#known.delete(sha256);
    if (key === null) return null;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= this.#limits.KEYS_CACHED_MAX) this.#known.delete(oldest);
    this.#known.set(sha256, { key, foundAt: this.#ports.clock.now() });
    return key;
  }
}

export type KeyRingLimits = {
  KEY_CACHE_MS: number;
  KEY_CACHE_WITHOUT_REDIS_MS: number;
  KEYS_CACHED_MAX: number;
};
