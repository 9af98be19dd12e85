import type { KeyRecord } from "@faceline/contracts/runtime/api-keys";
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
  readonly #known = new Map<string, { found: KeyRecord; foundAt: number }>();
  /** Calls that come together with one key ask once. */
  readonly #asked = new Map<string, Promise<KeyRecord | null>>();
  /** Counts what was heard of changes: what was asked for before one may be what was before it. */
  #changes = 0;

  constructor(ports: Pick<Ports, "clock" | "findKey">, limits: KeyRingLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  async find(sha256: string): Promise<KeyRecord | null> {
    const known = this.#known.get(sha256);
    const ageMs = known === undefined ? Infinity : this.#ports.clock.now() - known.foundAt;
    if (known !== undefined && ageMs < this.#limits.KEY_CACHE_MS) return known.found;
    try {
      return await this.#ask(sha256);
    } catch (error) {
      const away = error instanceof Refusal && error.code === "dependency_unavailable";
      if (away && known !== undefined && ageMs < this.#limits.KEY_CACHE_WITHOUT_REDIS_MS) return known.found;
      throw error;
    }
  }

  /** The key has changed: it is not believed any more, also while the durable Redis is away. */
  forget(sha256: string): void {
    this.#change();
    this.#known.delete(sha256);
  }

  /** The keys of a team, or all of them, may have changed: they are asked for again, and go on while nobody can know. */
  doubt(team?: string): void {
    this.#change();
    for (const [sha256, { found, foundAt }] of this.#known) {
      if (team !== undefined && found.key.team !== team) continue;
      this.#known.set(sha256, { found, foundAt: foundAt - this.#limits.KEY_CACHE_MS });
    }
  }

  #change(): void {
    this.#changes++;
    this.#asked.clear();
  }

  #ask(sha256: string): Promise<KeyRecord | null> {
    const before = this.#asked.get(sha256);
    if (before !== undefined) return before;
    const asked = this.#look(sha256).finally(() => {
      if (this.#asked.get(sha256) === asked) this.#asked.delete(sha256);
    });
    this.#asked.set(sha256, asked);
    return asked;
  }

  async #look(sha256: string): Promise<KeyRecord | null> {
    const changes = this.#changes;
    const found = await this.#ports.findKey(sha256);
    if (changes !== this.#changes) return found;
    this.#known.delete(sha256);
    if (found === null) return null;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= this.#limits.KEYS_CACHED_MAX) this.#known.delete(oldest);
    this.#known.set(sha256, { found, foundAt: this.#ports.clock.now() });
    return found;
  }
}

export type KeyRingLimits = {
  KEY_CACHE_MS: number;
  KEY_CACHE_WITHOUT_REDIS_MS: number;
  KEYS_CACHED_MAX: number;
};
