import type { RecordedCall } from "@faceline/contracts/recording/recorded-call";
import type { ImageSize } from "../trace/trace.ts";
import type { TracedCall } from "../trace/trace-writer.ts";

/**
 * Turns calls into those of a trace: in the order of their arrival, although they come as they end, with
 * numbers in place of hashes. Calls that were refused before their body was read get the images and the
 * lane of the call of the tenant before. Holds the calls of the last `reorderMs`.
 */
export class Recording {
  #held: RecordedCall[] = [];
  #startedAt: number | undefined;
  #lastAt = 0;
  readonly #tenants = new Map<number, number>();
  readonly #lastOf = new Map<number, { lane: TracedCall["lane"]; images: ImageSize[] }>();
  /** Calls whose images were taken from another call, and those that nothing was known of. */
  readonly counts = { guessed: 0, unknown: 0 };

  /** Calls that wait for their order. */
  get held(): number {
    return this.#held.length;
  }

  add(call: RecordedCall): void {
    this.#held.push(call);
  }

  /** Takes out the calls before which none will come any more: all of them without an instant. */
  take(now = Number.POSITIVE_INFINITY): TracedCall[] {
    const until = now - reorderMs;
    const ended = this.#held.filter(({ at }) => at < until).toSorted((a, b) => a.at - b.at);
    this.#held = this.#held.filter(({ at }) => at >= until);
    return ended.flatMap((call) => this.#traced(call) ?? []);
  }

  #traced({ at, tenant, lane, deadlineMs, images, outcome }: RecordedCall): TracedCall | undefined {
    const sizes = images.map(([bytes, pixels]): ImageSize => ({ bytes, pixels }));
    const known =
      lane === undefined || sizes.length === 0 ? this.#lastOf.get(tenant) : { lane, images: sizes };
    if (known === undefined) {
      this.counts.unknown++;
      return undefined;
    }
    if (sizes.length === 0) this.counts.guessed++;
    this.#lastOf.set(tenant, known);
    this.#startedAt ??= at;
    // A call that was late beyond the order comes at once.
    this.#lastAt = Math.max(this.#lastAt, at - this.#startedAt);
    const number = this.#tenants.get(tenant) ?? this.#tenants.size;
    this.#tenants.set(tenant, number);
    return { atMs: this.#lastAt, tenant: number, timeBudgetMs: deadlineMs, outcome, ...known };
  }
}

/** The longest that a call may take: the greatest deadline, and some more. */
const reorderMs = 130_000;
