import { createRequire } from "node:module";
import { reportSilence } from "./connection-silence.ts";
import { HangTimeout, Stopwatch } from "./starvation.ts";

/**
 * Patches two timers of kafkajs 2.2.4 that run on every connection, even when it is idle. One polls for
 * requests that wait to be sent, and re-arms itself with a negative delay, which Node 24 takes for 1 ms
 * (tulios/kafkajs issue 1751; pull requests 1755 and 1768 are not merged): in three idle services, that costs
 * a tenth of a core. The other polls ten times a second for requests without a response. With the patch, each
 * timer is armed only while there are such requests. The second one is a HangTimeout, so that responses are
 * read before their requests count as overdue.
 */
const { prototype } = createRequire(import.meta.url)("kafkajs/src/network/requestQueue") as {
  prototype: RequestQueue;
};
const schedule = prototype.scheduleCheckPendingRequests;
const send = prototype.sendSocketRequest;

prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
  if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
};

/** Kafkajs calls this once connected, to start the polling. Here the first request that is sent starts it. */
prototype.scheduleRequestTimeoutCheck = () => {};

prototype.sendSocketRequest = function (this: RequestQueue, request) {
  request.sinceSent = new Stopwatch();
  send.call(this, request);
  // No request has a shorter timeout than `requestTimeout`, so a running timer fires in time for this one.
  if (this.enforceRequestTimeout && this.requestTimeoutIntervalId == null)
    armTimeoutCheck(this, this.requestTimeout);
};

const destroy = prototype.destroy;
prototype.destroy = function (this: RequestQueue) {
  this.requestTimeoutIntervalId?.[Symbol.dispose]();
  this.requestTimeoutIntervalId = null;
  destroy.call(this);
};

/** Times out overdue requests after `delayMs`, and arms the timer again for the next one in flight. */
function armTimeoutCheck(queue: RequestQueue, delayMs: number): void {
  queue.requestTimeoutIntervalId = new HangTimeout(delayMs, () => {
    const remainingMs = ({ requestTimeout, sinceSent }: Request) => requestTimeout - sinceSent.ranMs;
    for (const request of queue.inflight.values()) {
      if (remainingMs(request) > 0) continue;
      reportSilence(`Kafka at ${queue.broker}, ${queue.clientId}`, request.sinceSent.isStarved);
      request.timeoutRequest();
    }
    const allRemainingMs = [...queue.inflight.values()].map(remainingMs);
    queue.requestTimeoutIntervalId = null;
    if (allRemainingMs.length > 0) armTimeoutCheck(queue, Math.max(1, Math.min(...allRemainingMs)));
  });
}

type RequestQueue = {
  pending: unknown[];
  inflight: Map<number, Request>;
  throttledUntil: number;
  broker: string;
  clientId: string;
  requestTimeout: number;
  enforceRequestTimeout: boolean;
  requestTimeoutIntervalId?: HangTimeout | null;
  scheduleCheckPendingRequests(): void;
  scheduleRequestTimeoutCheck(): void;
  sendSocketRequest(request: Request): void;
  destroy(): void;
};

type Request = {
  sinceSent: Stopwatch;
  requestTimeout: number;
  timeoutRequest(): void;
};
