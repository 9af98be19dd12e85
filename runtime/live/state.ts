// Types only.

/**
 * State of a process, which GET /live shows as a page and GET /live.json returns. Every list has a bound. It
 * holds no key, request or task, and teams only by their names.
 */
export type LiveState = LivePart & {
  /** Id of the process, which changes at every restart. */
  process: string;
  version: string;
  /** Commit, if it is known. */
  revision?: string;
  uptimeMs: number;
  /** Dependencies of the process, and whether each answered lately. */
  checks: Record<string, boolean>;
  health: ProcessHealth;
};

/** Part of one kind of service. */
export type LivePart = {
  /** `batcher of pool default`. */
  subject: string;
  status: LiveStatus;
  facts: LiveRow;
  /** Rows by the name of their table. All rows of a table have the same fields. */
  tables: Record<string, LiveRow[]>;
};

export type LiveStatus = {
  level: "ok" | "attention" | "problem";
  title: string;
  /** Sentences: what happens, and why. */
  detail: string;
};

/**
 * Values by camelCase names, from which the page makes its headings. A name that ends in Ms, Bytes or Share
 * (from 0 to 1) has this unit. Null: not known.
 */
export type LiveRow = Record<string, LiveValue | readonly LiveValue[]>;
export type LiveValue = string | number | null;

export type ProcessHealth = {
  memoryBytes: number;
  /** Delay of the event loop in the last 10 s. */
  delayMs: { p50: number; p99: number; max: number };
  /** Memory of the volatile Redis; absent until it was read. */
  redis?: { usedBytes: number; maxBytes: number };
};
