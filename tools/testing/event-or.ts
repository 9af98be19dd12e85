import { type EventEmitter, once } from "node:events";

/**
 * Waits for an event or for the end of `other`, whichever comes first, and listens no longer then. Throws
 * where `other` fails first.
 */
export async function eventOr(events: EventEmitter, name: string, other: Promise<unknown>): Promise<void> {
  const waiting = new AbortController();
  const event = once(events, name, { signal: waiting.signal });
  // Its abort below is not a failure.
  event.catch(() => {});
  try {
    await Promise.race([event, other]);
  } finally {
    waiting.abort();
  }
}
