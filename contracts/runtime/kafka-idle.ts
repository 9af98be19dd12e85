import { createRequire } from "node:module";

/**
 * Kafkajs 2.2.4 checks its queue of pending requests by a timer that re-arms itself for ever; on Node 24 the delay is
 * negative, which means 1 ms (tulios/kafkajs issue 1751, unmerged 1755 and 1768). Idle, that costs a tenth of a core
 * for the three services. Here the timer is armed only while something is pending or the broker throttles us.
 */
type RequestQueue = { pending: unknown[]; throttledUntil: number; scheduleCheckPendingRequests(): void };

const { prototype } = createRequire(import.meta.url)("kafkajs/src/network/requestQueue") as {
  prototype: RequestQueue;
};
const schedule = prototype.scheduleCheckPendingRequests;

prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
  if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
};
