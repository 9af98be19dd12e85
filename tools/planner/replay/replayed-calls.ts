import type { StageTimes } from "../prediction/call-recorder.ts";

/** What became of the calls of a replay, in flat shared memory: one number a call in each column. */
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
      parts: new Float32Array(new SharedArrayBuffer(4 * calls * timingParts.length)),
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

  partOf(call: number, part: TimingPart): number {
    return this.columns.parts[call * timingParts.length + timingParts.indexOf(part)]!;
  }

  /** Where the time of each answered call went, in time or late. */
  answeredStages(): StageTimes[] {
    const stages: StageTimes[] = [];
    for (let call = 0; call < this.length; call++) {
      const outcome = this.outcomeOf(call);
      if (outcome !== "answered" && outcome !== "late") continue;
      const of = (part: TimingPart) => this.partOf(call, part);
      const times = {
        waitMs: of("hold") + of("queue") + of("retry"),
        prepareMs: of("prepare"),
        runMs: of("run"),
      };
      const { waitMs, prepareMs, runMs } = times;
      stages.push({ ...times, serviceMs: this.columns.tookMs[call]! - waitMs - prepareMs - runMs });
    }
    return stages;
  }

  end(call: number, { outcome, tookMs, sentAfterMs, serverTiming }: EndedReplay): void {
    const { columns } = this;
    columns.outcome[call] = replayOutcomes.indexOf(outcome);
    columns.tookMs[call] = tookMs;
    columns.sentAfterMs[call] = sentAfterMs;
    const parts = timingPartsIn(serverTiming);
    for (const [index, part] of timingParts.entries()) {
      columns.parts[call * timingParts.length + index] = parts[part] ?? 0;
    }
    columns.ended[0]!++;
  }
}

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
export const replayOutcomes = ["unsent", "answered", "late", "expired", "shed", "limited", "failed"] as const;
export type ReplayOutcome = (typeof replayOutcomes)[number];

/** The parts of Server-Timing, see ARCHITECTURE.md. */
export const timingParts = [
  "admission",
  "publish",
  "hold",
  "queue",
  "retry",
  "hop",
  "prepare",
  "run",
  "answer",
  "gather",
  "unaccounted",
  "total",
] as const;
export type TimingPart = (typeof timingParts)[number];

/** Parses a Server-Timing header: the parts that it has, in ms. */
export function timingPartsIn(header: string): Partial<Record<TimingPart, number>> {
  const parts: Partial<Record<TimingPart, number>> = {};
  for (const [, name, ms] of header.matchAll(/(\w+);dur=(-?[\d.]+)/g)) parts[name as TimingPart] = Number(ms);
  return parts;
}

type EndedReplay = {
  outcome: ReplayOutcome;
  /** From when it was due. */
  tookMs: number;
  /** How late it was sent; a part of `tookMs`. */
  sentAfterMs: number;
  serverTiming: string;
};

/** Can be sent to another thread as they are. */
export type ReplayColumns = {
  /** How many calls have ended so far. */
  ended: Int32Array<SharedArrayBuffer>;
  /** Index in `replayOutcomes`. */
  outcome: Uint8Array<SharedArrayBuffer>;
  tookMs: Float32Array<SharedArrayBuffer>;
  sentAfterMs: Float32Array<SharedArrayBuffer>;
  /** As many for each call as there are timing parts. */
  parts: Float32Array<SharedArrayBuffer>;
};
