import { channel } from "node:diagnostics_channel";
import pino from "pino";
import { DedupedLog, type LogFields } from "./deduped-log.ts";
import { version } from "./resource.ts";

export type Log = pino.Logger;

/**
 * Returns a logger that writes one JSON line per event to standard output, with `ids` in each. Log ids,
 * counts, times and codes; never an image, an embedding, an API key or a body. A line with a `reason`, or
 * without any field, is counted if it repeats an earlier one: see DedupedLog, which disposing ends.
 */
export function openLog(service: string, level: string, ids: Record<string, string> = {}): Log & Disposable {
  const options: pino.LoggerOptions = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    base: { service: `faceline-${service}`, version, ...ids },
    formatters: { level: (label) => ({ level: label }) },
  };
  const standardOutput = pino.destination();
  const output = {
    write(line: string): void {
      standardOutput.write(line);
      writtenLines.publish(line);
    },
    // Pino calls it after a line at `fatal`.
    flushSync: () => standardOutput.flushSync(),
  };
  const deduped = new DedupedLog(pino(options, output));
  const hooks: pino.LoggerOptions["hooks"] = {
    logMethod(args, method, number) {
      const [fields, sentence] = (typeof args[0] === "string" ? [{}, args[0]] : args) as Line;
      const label = pino.levels.labels[number];
      if (label === "fatal") deduped.flush();
      const isCounted = fields.reason !== undefined || typeof args[0] === "string";
      if (!isCounted || (label !== "info" && label !== "warn" && label !== "error")) {
        return method.apply(this, args);
      }
      deduped[label](fields as LogFields, sentence);
    },
  };
  const log = pino({ ...options, hooks }, output);
  return Object.assign(log, { [Symbol.dispose]: () => deduped[Symbol.dispose]() });
}

/** Lines of this process as they were written, for those who send them elsewhere too. */
export const writtenLines = channel("faceline.log");

type Line = [fields: Partial<LogFields>, sentence: string];
