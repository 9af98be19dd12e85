import pino from "pino";

export type Log = pino.Logger;

/**
 * One JSON line an event, on standard output. What may be logged: ids, counts, times, codes. Never a picture,
 * an embedding, a key or a body.
 */
export function openLog(service: string, level: string): Log {
  return pino({ name: service, level, timestamp: pino.stdTimeFunctions.isoTime });
}
