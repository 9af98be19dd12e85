import type { Logger } from "pino";

/**
 * Log lines with a reason, which may come thousands of times a second. The first line of a sentence and
 * reason is written at once, with all its fields; its repetitions are counted, and written every 10 s as one
 * line with their number, how many of them each team has, and the first of their ids. Beyond `reasonsMax`
 * kinds of lines, further ones are counted together.
 */
export class DedupedLog implements Disposable {
  readonly #log: LineWriter;
  readonly #kinds = new Map<string, Kind>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: LineWriter) {
    this.#log = log;
  }

  info(fields: LogFields, sentence: string): void {
    this.#write("info", fields, sentence);
  }

  warn(fields: LogFields, sentence: string): void {
    this.#write("warn", fields, sentence);
  }

  error(fields: LogFields, sentence: string): void {
    this.#write("error", fields, sentence);
  }

  #write(level: Level, fields: LogFields, sentence: string): void {
    const key = `${level} ${sentence} ${fields.reason}`;
    const known = this.#kinds.get(key);
    if (known !== undefined) return count(known, fields);
    if (this.#kinds.size < reasonsMax) {
      this.#log[level](fields, sentence);
      this.#kinds.set(key, { level, sentence, reason: fields.reason, ...noRepetitions() });
    } else {
      const others = this.#kinds.get("others");
      if (others !== undefined) return count(others, fields);
      const first: Kind = {
        level,
        sentence: "lines of many reasons",
        reason: "others",
        ...noRepetitions(),
      };
      count(first, fields);
      this.#kinds.set("others", first);
    }
    this.#timer ??= setInterval(() => this.flush(), everyMs).unref();
  }

  /** Writes what was counted, ahead of time. */
  flush(): void {
    for (const [key, { level, sentence, reason, repeated, requestIds, batchIds, teams }] of this.#kinds) {
      if (repeated > 0) {
        const ids = { request_ids: requestIds, ...(batchIds.length === 0 ? {} : { batch_ids: batchIds }) };
        this.#log[level](
          { reason, repeated, withinMs: everyMs, ...teamsOf(teams), ...ids },
          `${sentence} (repeated)`,
        );
        this.#kinds.set(key, { level, sentence, reason, ...noRepetitions() });
      } else this.#kinds.delete(key);
    }
    if (this.#kinds.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Writes what was counted. */
  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.flush();
  }
}

function count(kind: Kind, { request_id, request_ids = [], batch_id, team }: LogFields): void {
  kind.repeated++;
  const ids = request_id === undefined ? request_ids : [request_id];
  for (const id of ids) if (kind.requestIds.length < idsMax) kind.requestIds.push(id);
  if (batch_id !== undefined && kind.batchIds.length < idsMax) kind.batchIds.push(batch_id);
  if (team === undefined) return;
  const lines = kind.teams.get(team);
  if (lines !== undefined || kind.teams.size < idsMax) kind.teams.set(team, (lines ?? 0) + 1);
}

/** Returns the teams with most lines first. A list, because stores of logs index every name of a field. */
function teamsOf(teams: Kind["teams"]): { teams?: { team: string; repeated: number }[] } {
  if (teams.size === 0) return {};
  const counts = [...teams].map(([team, repeated]) => ({ team, repeated }));
  return { teams: counts.toSorted((one, other) => other.repeated - one.repeated) };
}

const noRepetitions = (): Repetitions => ({
  repeated: 0,
  requestIds: [],
  batchIds: [],
  teams: new Map(),
});

const everyMs = 10_000;
const reasonsMax = 100;
const idsMax = 20;

type Kind = { level: Level; sentence: string; reason: string } & Repetitions;

/** The teams and ids are the first `idsMax` of the interval. */
type Repetitions = {
  repeated: number;
  requestIds: string[];
  batchIds: string[];
  teams: Map<string, number>;
};

type Level = "info" | "warn" | "error";

type LineWriter = Pick<Logger, Level>;

/**
 * `reason` says which lines are equal: it must not hold an id. The ids are those of `log-ids.ts`, of one call
 * or of several.
 */
export type LogFields = {
  reason: string;
  request_id?: string;
  request_ids?: readonly string[];
  batch_id?: string;
  /** The team of the request. */
  team?: string | undefined;
  [fact: string]: unknown;
};
