import { bestEffort } from "@faceline/runtime/best-effort";
import { type RedisConnection, script } from "@faceline/runtime/redis";
import { inFlightKey } from "@faceline/contracts/wire/names";

/** An ingress process that has not reported for this long counts as dead, and its calls as ended. */
const reportValidMs = 3_000;
const reportEveryMs = 1_000;
/** Releases are reported together this often: other processes see a free slot this much later. */
const releaseBatchMs = 5;

/**
 * KEYS: the team's requests in flight, a field per ingress process: `count:reportedAt`. ARGV: ingress, its
 * count including the new request, the limit, how long reports are valid. Returns the count of all processes
 * if the request fits, else 0.
 */
const acquireScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local reports = redis.call('HGETALL', KEYS[1])
local others = 0
for i = 1, #reports, 2 do
  if reports[i] ~= ARGV[1] then
    local count, at = string.match(reports[i + 1], '^(%d+):(%d+)$')
    if now - at < tonumber(ARGV[4]) then others = others + count else redis.call('HDEL', KEYS[1], reports[i]) end
  end
end
if others + ARGV[2] > tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d:%d', ARGV[2], now))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return others + ARGV[2]
`;

/** KEYS: as above. ARGV: ingress, its count, how long reports are valid. */
const reportScript = `
if ARGV[2] == '0' then return redis.call('HDEL', KEYS[1], ARGV[1]) end
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d:%d', ARGV[2], time[1] * 1000 + math.floor(time[2] / 1000)))
return redis.call('PEXPIRE', KEYS[1], ARGV[3])
`;

/**
 * Limits the calls that each team has in flight, over all ingress processes. Each process reports its whole
 * count, never a difference: the next report heals a lost one, and the calls of a dead process expire with
 * its report. While Redis is unreachable, each process counts alone.
 */
export class InFlightLimiter implements AsyncDisposable {
  readonly #ingress: string;
  readonly #acquire: (...args: (string | number)[]) => Promise<unknown>;
  readonly #report: (...args: (string | number)[]) => Promise<unknown>;
  /**
   * The calls of this process, by team; teams without calls are absent. `pending` calls wait for a response
   * of Redis.
   */
  readonly #counts = new Map<string, { held: number; pending: number }>();
  /** Teams whose count in Redis may be too high. */
  readonly #unreported = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #releaseTimer: NodeJS.Timeout | undefined;
  /** How long calls are in flight: an exponential moving average over all teams. */
  #meanHeldMs = 0;

  constructor(redis: RedisConnection, ingress: string) {
    this.#ingress = ingress;
    this.#acquire = script(redis, { name: "acquireInFlight", lua: acquireScript, numberOfKeys: 1 });
    this.#report = script(redis, { name: "reportInFlight", lua: reportScript, numberOfKeys: 1 });
    this.#timer = setInterval(() => {
      for (const team of this.#counts.keys()) this.#reportCount(team);
    }, reportEveryMs);
  }

  /** Returns a slot, or null if the team has `inFlightMax` calls in flight. Does not throw. */
  async acquire(team: string, inFlightMax: number): Promise<InFlightSlot | null> {
    const own = this.#counts.get(team) ?? { held: 0, pending: 0 };
    this.#counts.set(team, own);
    own.pending++;
    // Pending requests count as admitted: at worst one too many is refused, and never one too many admitted.
    const count = own.held + own.pending;
    const inFlight = await this.#acquire(
      inFlightKey(team),
      this.#ingress,
      count,
      inFlightMax,
      reportValidMs,
    ).then(
      (response) => Number(response),
      () => (own.held + own.pending <= inFlightMax ? own.held + own.pending : 0),
    );
    own.pending--;
    if (inFlight === 0) {
      this.#scheduleReport(team);
      return null;
    }
    own.held++;
    const acquiredAt = performance.now();
    return {
      inFlight,
      release: () => {
        own.held--;
        this.#meanHeldMs += (performance.now() - acquiredAt - this.#meanHeldMs) / 64;
        this.#scheduleReport(team);
      },
    };
  }

  /** The time until one of `inFlightMax` calls is expected to end, in ms: for Retry-After. */
  expectedReleaseMs(inFlightMax: number): number {
    return this.#meanHeldMs / inFlightMax;
  }

  #scheduleReport(team: string): void {
    this.#unreported.add(team);
    this.#releaseTimer ??= setTimeout(() => {
      this.#releaseTimer = undefined;
      this.#reportUnreported();
    }, releaseBatchMs);
  }

  #reportUnreported(): void {
    for (const team of this.#unreported) this.#reportCount(team);
    this.#unreported.clear();
  }

  #reportCount(team: string): void {
    const own = this.#counts.get(team);
    const count = own === undefined ? 0 : own.held + own.pending;
    if (count === 0) this.#counts.delete(team);
    // A lost report is repeated within a second, or the count expires after three.
    bestEffort("in_flight_report", this.#report(inFlightKey(team), this.#ingress, count, reportValidMs));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#releaseTimer);
    this.#reportUnreported();
  }
}

type InFlightSlot = {
  /** Calls of the team when this one was let in, this one and those of other processes included. */
  inFlight: number;
  /** Must be called once. */
  release(): void;
};
