/** How the calls of a replay ended, in flat shared memory: one number a call in each column. */
export class ReplayedCalls {
  readonly columns: ReplayColumns;

  constructor(columns: ReplayColumns) {
    this.columns = columns;
  }

  static ofLength(calls: number): ReplayedCalls {
    const floats = () => new Float32Array(new SharedArrayBuffer(4 * calls));
    return new ReplayedCalls({
      ended: new Int32Array(new SharedArrayBuffer(4)),
      outcome: new Uint8Array(new SharedArrayBuffer(calls)),
      tookMs: floats(),
      sentAfterMs: floats(),
    });
  }

  get length(): number {
    return this.columns.outcome.length;
  }

  outcomeOf(call: number): ReplayOutcome {
    return replayOutcomes[this.columns.outcome[call]!]!;
  }

  /** How many calls ended in this way. */
  count(outcome: ReplayOutcome): number {
    const index = replayOutcomes.indexOf(outcome);
    return this.columns.outcome.reduce((sum, each) => sum + (each === index ? 1 : 0), 0);
  }

  end(call: number, { outcome, tookMs, sentAfterMs }: EndedReplay): void {
    const { columns } = this;
    columns.outcome[call] = replayOutcomes.indexOf(outcome);
    columns.tookMs[call] = tookMs;
    columns.sentAfterMs[call] = sentAfterMs;
    columns.ended[0]!++;
  }
}

/** Returns how many calls ended in each way, and how long the answered ones took, late ones included. */
export function outcomesOf(calls: ReplayedCalls): ReplayOutcomes {
  const outcomes = Object.fromEntries(
    replayOutcomes.map((outcome) => [outcome, calls.count(outcome)]),
  ) as ReplayOutcomes["outcomes"];
  const { tookMs, sentAfterMs } = calls.columns;
  const sorted = tookMs.filter((_, call) => ["answered", "late"].includes(calls.outcomeOf(call))).toSorted();
  const quantile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  const sentLateMs = sentAfterMs.reduce((most, each) => Math.max(most, each), 0);
  return { calls: calls.length, outcomes, p50Ms: quantile(0.5), p99Ms: quantile(0.99), sentLateMs };
}

type ReplayOutcomes = {
  calls: number;
  outcomes: Record<ReplayOutcome, number>;
  p50Ms: number;
  p99Ms: number;
  /** Longest time after its instant at which a call was sent. */
  sentLateMs: number;
};

/**
 * Returns how a call ended for its client. A picture in which no face is found was run like any other, so
 * such a call counts as answered. `limited`: by the limits of its team, which a prediction does not know.
 */
export function replayOutcome(
  status: number | undefined,
  error: string | undefined,
  isLate: boolean,
): ReplayOutcome {
  if (status === 200 || error === "no_face_detected") return isLate ? "late" : "answered";
  if (status === 504) return "expired";
  if (status === 429) return "limited";
  return error === "queue_full" || error === "queue_timeout" ? "shed" : "failed";
}

/**
 * `late`: answered after its deadline. `expired`: not answered by then. `unsent`: too many calls were in
 * flight. `limited`: refused by the limits of the team. `failed`: any other error, or none at all.
 */
const replayOutcomes = ["unsent", "answered", "late", "expired", "shed", "limited", "failed"] as const;
type ReplayOutcome = (typeof replayOutcomes)[number];

type EndedReplay = {
  outcome: ReplayOutcome;
  /** Time since it was due. */
  tookMs: number;
  /** How late it was sent; a part of `tookMs`. */
  sentAfterMs: number;
};

/** Can be sent to another thread as they are. */
export type ReplayColumns = {
  /** How many calls have ended so far. */
  ended: Int32Array<SharedArrayBuffer>;
  /** Index in `replayOutcomes`. */
  outcome: Uint8Array<SharedArrayBuffer>;
  tookMs: Float32Array<SharedArrayBuffer>;
  sentAfterMs: Float32Array<SharedArrayBuffer>;
};
