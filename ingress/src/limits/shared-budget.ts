/**
 * Bytes of one resource that teams share, by the rule of dynamic thresholds (Choudhury and Hahne, "Dynamic
 * queue length thresholds for shared-memory packet switches", 1998):
 *
 * - A team may hold at most three times what stays free. Alone it gets 3/4 of the total; of n busy teams each
 *   gets 3/(3n + 1), and 1/(3n + 1) stays free for the next one. A team that holds more than that, because it
 *   was alone before, gets nothing further until enough of its leases have ended.
 * - The only lease of a team may take whatever is free: a team without calls in flight is refused only if the
 *   bytes do not fit at all, and a call never for the sake of others that may not come.
 *
 * Nothing is configured per team, and nothing is taken back. Holds no timer, socket or clock.
 */
export class SharedBudget {
  readonly #totalBytes: number;
  readonly #teams = new Map<string, TeamShare>();
  #freeBytes: number;

  constructor(totalBytes: number) {
    this.#totalBytes = totalBytes;
    this.#freeBytes = totalBytes;
  }

  /** Bytes that are held by all teams together. */
  get heldBytes(): number {
    return this.#totalBytes - this.#freeBytes;
  }

  /** Returns a lease of `bytes` for the team, which holds them until it is released; null: refused. */
  acquire(team: string, bytes: number): BudgetLease | null {
    const share = this.#teams.get(team) ?? { bytes: 0, leases: 0 };
    share.leases++;
    if (!this.#take(share, bytes)) {
      share.leases--;
      return null;
    }
    this.#teams.set(team, share);
    let leasedBytes = bytes;
    let released = false;
    return {
      canGrow: (by) => !released && this.#fits(share, by),
      grow: (by) => {
        if (released || !this.#take(share, by)) return false;
        leasedBytes += by;
        return true;
      },
      release: () => {
        if (released) return;
        released = true;
        this.#freeBytes += leasedBytes;
        share.bytes -= leasedBytes;
        if (--share.leases === 0) this.#teams.delete(team);
      },
    };
  }

  #take(share: TeamShare, bytes: number): boolean {
    if (!this.#fits(share, bytes)) return false;
    share.bytes += bytes;
    this.#freeBytes -= bytes;
    return true;
  }

  #fits(share: TeamShare, bytes: number): boolean {
    const freeBytes = this.#freeBytes - bytes;
    if (freeBytes < 0) return false;
    return share.leases === 1 || share.bytes + bytes <= thresholdFactor * freeBytes;
  }
}

/** A team may hold this many times what is free. */
const thresholdFactor = 3;

/** Share of one team; teams that hold nothing are absent. */
type TeamShare = { bytes: number; leases: number };

export type BudgetLease = {
  /** Whether `grow` would succeed now. */
  canGrow(bytes: number): boolean;
  /** Takes `bytes` more. Returns false, and changes nothing, if they are refused or the lease has ended. */
  grow(bytes: number): boolean;
  /** Gives everything back. Does nothing the second time. */
  release(): void;
};
