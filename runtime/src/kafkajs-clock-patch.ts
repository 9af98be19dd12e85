import { createRequire } from "node:module";

/**
 * Patches two instants of kafkajs 2.2.4 that it takes from the wall clock: when a request was sent and when
 * the last heartbeat was. Without the patch, a clock that is set forward by a second times out every request
 * in flight, and one that is set back by an hour stops heartbeats for an hour. With it, the time since each
 * instant is that of the monotonic clock, whatever happens to the wall clock.
 */
const require = createRequire(import.meta.url);
measureMonotonically(require("kafkajs/src/network/requestQueue/socketRequest").prototype, "sentAt");
measureMonotonically(require("kafkajs/src/consumer/consumerGroup").prototype, "lastRequest");

/** `property` is only ever set to `Date.now()` or null, and only ever compared with `Date.now()`. */
function measureMonotonically(prototype: object, property: string): void {
  const setAt = new WeakMap<object, number>();
  Object.defineProperty(prototype, property, {
    get(this: object) {
      const at = setAt.get(this);
      return at === undefined ? null : Date.now() - (performance.now() - at);
    },
    set(this: object, instant: number | null) {
      if (instant === null) setAt.delete(this);
      else setAt.set(this, performance.now());
    },
  });
}
