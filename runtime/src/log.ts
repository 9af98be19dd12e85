import pino from "pino";

export type Log = pino.Logger;

/**
 * Returns a logger that writes one JSON line per event to standard output. Log ids, counts, times and codes;
 * never an image, an embedding, an API key or a body.
 */
export function openLog(service: string, level: string): Log {
  return pino({ name: service, level, timestamp: pino.stdTimeFunctions.isoTime });
}
