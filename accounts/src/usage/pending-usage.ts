import type { CallOutcome } from "./call-outcome.ts";
import { dayMs, dayOf } from "./days.ts";
import { type RecentError, recentErrorsMax } from "./recent-error.ts";

/**
 * Calls that were counted in memory and are not written yet: one counter for each team, day, endpoint and
 * outcome. Counting a call costs one look-up in a map.
 *
 *     add(call) ──► [ counters, at most countersMax ] ──► take() ──► one write
 */
export class PendingUsage {
  readonly #countersMax: number;
  #counters = new Map<string, UsageCounter>();
  #calls = 0;
  #errors = 0;
  #lostCalls = 0;
  #dayNumber = -1;
  #day = "";

  constructor({ countersMax }: { countersMax: number }) {
    this.#countersMax = countersMax;
  }

  /** Calls that the next `take` returns. */
  get calls(): number {
    return this.#calls;
  }

  /** Calls, since the start, for whose counter there was no room. */
  get lostCalls(): number {
    return this.#lostCalls;
  }

  add(call: CountedCall): void {
    const { team, endpoint, outcome, endedAt } = call;
    const day = this.#dayOf(endedAt);
    const key = `${team} ${day} ${endpoint} ${outcome}`;
    let counter = this.#counters.get(key);
    if (counter === undefined) {
      if (this.#counters.size >= this.#countersMax) {
        this.#lostCalls++;
        return;
      }
      counter = { team, day, endpoint, outcome, calls: 0, errors: [] };
      this.#counters.set(key, counter);
    }
    counter.calls++;
    this.#calls++;
    if (outcome !== "ok" && outcome !== "client_left" && !isNoTeam(team)) this.#addError(counter, call);
  }

  /** Returns what was counted since the last call, and starts over. */
  take(): UsageBatch {
    const batch = { calls: this.#calls, counters: [...this.#counters.values()] };
    this.#counters = new Map();
    this.#calls = 0;
    this.#errors = 0;
    return batch;
  }

  #addError({ errors }: UsageCounter, { endpoint, endedAt, requestId, keyId }: CountedCall): void {
    if (errors.length >= recentErrorsMax) {
      errors.shift();
      this.#errors--;
    }
    if (this.#errors >= pendingErrorsMax) return;
    errors.push({ at: Math.trunc(endedAt), endpoint, requestId, ...(keyId === undefined ? {} : { keyId }) });
    this.#errors++;
  }

  /** Formatted once a day, not once a call. */
  #dayOf(at: number): string {
    const number = Math.floor(at / dayMs);
    if (number !== this.#dayNumber) {
      this.#dayNumber = number;
      this.#day = dayOf(at);
    }
    return this.#day;
  }
}

/**
 * Whether these are requests of visitors or without a valid key. Their request ids are not stored: ids come
 * from the caller, and nobody would read them.
 */
const isNoTeam = (team: string): boolean => team.startsWith("~");

/** Recent errors of all teams that wait to be written: about 500 KB. */
const pendingErrorsMax = 2_000;

/** A call that has ended. `endedAt`: epoch ms. */
export type CountedCall = {
  /** Or the name under which calls without a team are counted: it begins with "~". */
  team: string;
  endpoint: string;
  outcome: CallOutcome;
  endedAt: number;
  requestId: string;
  /** Id of the API key that it came with. */
  keyId?: string | undefined;
};

export type UsageCounter = Pick<CountedCall, "team" | "endpoint" | "outcome"> & {
  day: string;
  calls: number;
  /** Oldest first. */
  errors: RecentError[];
};

/** `calls`: the sum of all counters. */
export type UsageBatch = { calls: number; counters: UsageCounter[] };
