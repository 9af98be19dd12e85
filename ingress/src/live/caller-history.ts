import { keylessTenant, visitorsTenant } from "@faceline/contracts/wire/ids";
import { RecentSlots } from "@faceline/runtime/live/recent/slots";
import type { LiveCaller, LiveCallers } from "@faceline/runtime/live/state";

/**
 * Remembers who has called this process in the last minutes: teams, and the tenants of calls without a key.
 * It keeps the `callersMax` tenants whose last call or byte is the latest; the counts of one that leaves are
 * added to `others`. So a tenant is kept whole while it calls at least once for every `callersMax` others.
 */
export class CallerHistory {
  readonly #callersMax: number;
  readonly #calls = new RecentSlots<string>();
  readonly #bytes = new RecentSlots<string>();
  readonly #refused = new RecentSlots<string>();
  /** The one that was active least recently first. */
  readonly #known = new Set<string>();
  /** Callers with calls in flight, which connections bound. */
  readonly #inFlight = new Map<string, number>();

  constructor(callersMax = 256) {
    this.#callersMax = callersMax;
  }

  /** Counts a call as in flight. Returns what ends it, to be called once. */
  begin(tenant: string): () => void {
    this.#inFlight.set(tenant, (this.#inFlight.get(tenant) ?? 0) + 1);
    return () => {
      const left = this.#inFlight.get(tenant)! - 1;
      if (left === 0) this.#inFlight.delete(tenant);
      else this.#inFlight.set(tenant, left);
    };
  }

  /** Counts bytes of a request body as they arrive. */
  received(tenant: string, bytes: number, now: number): void {
    this.#touch(tenant);
    this.#bytes.add(tenant, bytes, now);
  }

  /** Counts a call that has ended. */
  ended(tenant: string, isRefused: boolean, now: number): void {
    this.#touch(tenant);
    this.#calls.add(tenant, 1, now);
    if (isRefused) this.#refused.add(tenant, 1, now);
  }

  /** Returns the loudest callers, and all others as one. */
  read(now: number): LiveCallers {
    const names = new Set([...this.#known, ...this.#inFlight.keys()]);
    return loudest(
      [...names].map((caller) => ({ ...this.#countsOf(caller, now), caller })),
      { ...this.#countsOf(others, now), caller: others },
    );
  }

  #countsOf(caller: string, now: number): Omit<LiveCaller, "caller"> {
    return {
      calls: this.#calls.count(caller, now),
      bytes: this.#bytes.count(caller, now),
      refused: this.#refused.count(caller, now),
      inFlight: this.#inFlight.get(caller) ?? 0,
    };
  }

  #touch(tenant: string): void {
    this.#known.delete(tenant);
    this.#known.add(tenant);
    if (this.#known.size <= this.#callersMax) return;
    const oldest = this.#known.values().find((each) => !isKeyless(each))!;
    this.#known.delete(oldest);
    for (const counts of [this.#calls, this.#bytes, this.#refused]) counts.merge(oldest, others);
  }
}

/**
 * Returns the ten teams with the largest share of the calls or of the bytes, in the last 10 s or in five
 * minutes, so also who has just begun, or sends few calls with large images; and beside them all calls
 * without a key. The rest is added to `rest`.
 */
function loudest(callers: LiveCaller[], rest: LiveCaller): LiveCallers {
  const total = [rest, ...callers].reduce(sumOf);
  const shareOf = ({ calls, bytes }: LiveCaller) =>
    Math.max(
      calls.last10s / Math.max(1, total.calls.last10s),
      calls.all / Math.max(1, total.calls.all),
      bytes.last10s / Math.max(1, total.bytes.last10s),
      bytes.all / Math.max(1, total.bytes.all),
    );
  const ranked = callers
    .filter(({ calls, bytes, inFlight }) => calls.all + bytes.all + inFlight > 0)
    .toSorted((one, other) => shareOf(other) - shareOf(one));
  const teams = ranked.filter(({ caller }) => !isKeyless(caller));
  const quiet = new Set(teams.slice(teamsShownMax));
  return {
    loudest: ranked
      .filter((each) => !quiet.has(each))
      .toSorted((one, other) => weightOf(other) - weightOf(one)),
    others: [...quiet].reduce(sumOf, rest),
  };
}

/** Who calls most now comes first. */
const weightOf = ({ calls }: LiveCaller): number => 30 * calls.last10s + calls.all;

const sumOf = (one: LiveCaller, other: LiveCaller): LiveCaller => ({
  caller: one.caller,
  calls: addCounts(one.calls, other.calls),
  bytes: addCounts(one.bytes, other.bytes),
  refused: addCounts(one.refused, other.refused),
  inFlight: one.inFlight + other.inFlight,
});

const addCounts = (one: LiveCaller["calls"], other: LiveCaller["calls"]): LiveCaller["calls"] => ({
  last10s: one.last10s + other.last10s,
  all: one.all + other.all,
});

/** Name of all other callers together; no team can have it. */
const others = "~others";
const teamsShownMax = 10;
const isKeyless = (caller: string): boolean => caller === keylessTenant || caller === visitorsTenant;
