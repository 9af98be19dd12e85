import { type RedisConnection, script } from "@faceline/contracts/runtime/redis";
import { inFlightKey } from "@faceline/contracts/wire/names";

/** An ingress that says nothing for this long is gone, and its calls with it. */
const silenceMaxMs = 3_000;
const sayEveryMs = 1_000;
/** Calls that end are told together: other ingresses see the room that they leave this much later. */
const gatherMs = 5;

/**
 * KEYS: the team's calls in flight, a field for each ingress: `count:saidAt`. ARGV: ingress, its count with the new
 * call, the most there may be, how long silence is believed. Returns 1 where the call fits.
 */
const take = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local said = redis.call('HGETALL', KEYS[1])
local others = 0
for i = 1, #said, 2 do
  if said[i] ~= ARGV[1] then
    local count, at = string.match(said[i + 1], '^(%d+):(%d+)$')
    if now - at < tonumber(ARGV[4]) then others = others + count else redis.call('HDEL', KEYS[1], said[i]) end
  end
end
if others + ARGV[2] > tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d:%d', ARGV[2], now))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
`;

/** ARGV: ingress, its count, how long silence is believed. */
const say = `
if ARGV[2] == '0' then return redis.call('HDEL', KEYS[1], ARGV[1]) end
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d:%d', ARGV[2], time[1] * 1000 + math.floor(time[2] / 1000)))
return redis.call('PEXPIRE', KEYS[1], ARGV[3])
`;

/**
 * The calls that teams have in flight. Every ingress says how many it has, a whole count and never a difference: what
 * is lost is healed by what is said next, and an ingress that dies takes its count with it. While Redis is away, each
 * counts alone.
 */
export class Flights implements AsyncDisposable {
  readonly #ingress: string;
  readonly #take: (...given: (string | number)[]) => Promise<unknown>;
  readonly #say: (...given: (string | number)[]) => Promise<unknown>;
  /** Of this ingress. Teams without calls are not in it. */
  readonly #own = new Map<string, { held: number; asking: number }>();
  /** Teams of which Redis may know too many. */
  readonly #unsaid = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #gathering: NodeJS.Timeout | undefined;
  /** A moving mean over all teams. */
  #heldMs = 0;

  constructor(redis: RedisConnection, ingress: string) {
    this.#ingress = ingress;
    this.#take = script(redis, { name: "takeFlight", lua: take, numberOfKeys: 1 });
    this.#say = script(redis, { name: "sayFlights", lua: say, numberOfKeys: 1 });
    this.#timer = setInterval(() => {
      for (const team of this.#own.keys()) this.#tell(team);
    }, sayEveryMs);
  }

  /** Null: the team has as many in flight as it may have. */
  async take(team: string, inFlightMax: number): Promise<Flight | null> {
    const own = this.#own.get(team) ?? { held: 0, asking: 0 };
    this.#own.set(team, own);
    own.asking++;
    // What others ask for at this moment counts as granted: rather one too few than one too many.
    const asked = own.held + own.asking;
    const granted = await this.#take(inFlightKey(team), this.#ingress, asked, inFlightMax, silenceMaxMs).then(
      (reply) => reply === 1,
      () => own.held + own.asking <= inFlightMax,
    );
    own.asking--;
    if (!granted) {
      this.#lessOf(team);
      return null;
    }
    own.held++;
    const takenAt = performance.now();
    return {
      leave: () => {
        own.held--;
        this.#heldMs += (performance.now() - takenAt - this.#heldMs) / 64;
        this.#lessOf(team);
      },
    };
  }

  /** How soon one of so many calls may be expected to end. */
  roomAfterMs(inFlightMax: number): number {
    return this.#heldMs / inFlightMax;
  }

  #lessOf(team: string): void {
    this.#unsaid.add(team);
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      for (const team of this.#unsaid) this.#tell(team);
      this.#unsaid.clear();
    }, gatherMs);
  }

  #tell(team: string): void {
    const own = this.#own.get(team);
    const count = own === undefined ? 0 : own.held + own.asking;
    if (count === 0) this.#own.delete(team);
    // Lost, it is said again within a second, or not believed after three.
    this.#say(inFlightKey(team), this.#ingress, count, silenceMaxMs).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#gathering);
    for (const team of this.#unsaid) this.#tell(team);
  }
}

export type Flight = {
  /** Once. */
  leave(): void;
};
