import type { KeyRecord } from "@faceline/accounts/keys/api-keys";
import { bestEffort } from "@faceline/runtime/best-effort";
import { ApiError } from "../call/api-error.ts";
import type { Ports } from "../call/ports.ts";

/**
 * Cache of API keys by their SHA-256, so that most requests need no lookup in Redis. Only existing keys are
 * cached, so a flood of invalid keys evicts nothing. While the durable Redis is unreachable, cached keys stay
 * valid for `withoutRedisMs`. They are then used at once and reloaded in the background, because a hanging
 * Redis would otherwise add the time limit of a command to every request.
 */
export class KeyCache {
  readonly #ports: Pick<Ports, "clock" | "findKey">;
  readonly #limits: KeyCacheLimits;
  /** Oldest first. */
  readonly #entries = new Map<string, Entry>();
  /** Lookups in flight: calls that come together with one key share one. */
  readonly #lookups = new Map<string, Promise<KeyRecord | null>>();
  /**
   * Counts the change notices. A lookup that began before a notice may return the old record, so it is not
   * cached.
   */
  #changes = 0;
  /** The last lookup failed, and no change notice has come since. */
  #unreachable = false;
  #refreshing = false;

  constructor(ports: Pick<Ports, "clock" | "findKey">, limits: Partial<KeyCacheLimits> = {}) {
    this.#ports = ports;
    this.#limits = { ...keyCacheLimits, ...limits };
  }

  /** Returns the record of a key, or null if there is none. Throws what `Ports.findKey` throws. */
  async find(sha256: string): Promise<KeyRecord | null> {
    const cached = this.#entries.get(sha256);
    const ageMs = cached === undefined ? Infinity : this.#ports.clock.now() - cached.readAt;
    const fresh = cached?.invalidated === false && ageMs < this.#limits.freshMs;
    if (fresh) return cached.record;
    const usable = cached !== undefined && ageMs < this.#limits.withoutRedisMs;
    if (usable && this.#unreachable) {
      this.#refresh(sha256);
      return cached.record;
    }
    try {
      return await this.#lookUpOnce(sha256);
    } catch (error) {
      if (usable && isUnreachable(error)) return cached.record;
      throw error;
    }
  }

  /**
   * Removes a key that has changed. It is not used before it was read again, even while Redis is unreachable.
   */
  remove(sha256: string): void {
    this.#recordChange();
    this.#entries.delete(sha256);
  }

  /**
   * Marks the keys of a team (or all keys) as possibly changed. They are reloaded at their next use, but stay
   * usable while Redis is unreachable.
   */
  invalidate(team?: string): void {
    this.#recordChange();
    for (const entry of this.#entries.values()) {
      if (team === undefined || entry.record.key.team === team) entry.invalidated = true;
    }
  }

  #recordChange(): void {
    this.#changes++;
    // A notice comes from the server itself, so the server can be reached again.
    this.#unreachable = false;
    this.#lookups.clear();
  }

  /** Reads a key in the background, one at a time: the first success ends the failure. */
  #refresh(sha256: string): void {
    if (this.#refreshing) return;
    this.#refreshing = true;
    const lookup = this.#lookUpOnce(sha256).finally(() => {
      this.#refreshing = false;
    });
    bestEffort("key_refresh", lookup);
  }

  #lookUpOnce(sha256: string): Promise<KeyRecord | null> {
    const running = this.#lookups.get(sha256);
    if (running !== undefined) return running;
    const lookup = this.#lookUp(sha256).finally(() => {
      if (this.#lookups.get(sha256) === lookup) this.#lookups.delete(sha256);
    });
    this.#lookups.set(sha256, lookup);
    return lookup;
  }

  async #lookUp(sha256: string): Promise<KeyRecord | null> {
    const changesBefore = this.#changes;
    const record = await this.#ports.findKey(sha256).catch((error: unknown) => {
      if (changesBefore === this.#changes) this.#unreachable = isUnreachable(error);
      throw error;
    });
    this.#unreachable = false;
    if (changesBefore !== this.#changes) return record;
    this.#entries.delete(sha256);
    if (record === null) return null;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= this.#limits.keysMax) {
      this.#entries.delete(oldest);
    }
    this.#entries.set(sha256, { record, readAt: this.#ports.clock.now(), invalidated: false });
    return record;
  }
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.code === "dependency_unavailable" || error.details.shed === "cpu_starved");

/** `invalidated`: the record may have changed since it was read, at `readAt`. */
type Entry = { record: KeyRecord; readAt: number; invalidated: boolean };

/**
 * Changes of keys are published, so the first limit only bounds the time after a lost notice. The second one
 * is how long an outage of the durable Redis may last before calls fail. A record takes about 1 KB.
 */
const keyCacheLimits = { freshMs: 30_000, withoutRedisMs: 600_000, keysMax: 10_000 };

/** `freshMs`: age up to which a record is used without a lookup. */
type KeyCacheLimits = typeof keyCacheLimits;
