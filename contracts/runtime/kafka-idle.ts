import { createRequire } from "node:module";

/**
 * Kafkajs 2.2.4 watches the requests of a connection by two timers that run for ever, busy or not. One looks
 * for requests that wait to be sent, and re-arms itself with a negative delay, which Node 24 takes for 1 ms
 * (tulios/kafkajs issue 1751, unmerged 1755 and 1768): idle, that costs a tenth of a core for the three
 * services. The other looks ten times a second for answers that are overdue. Here both are armed only while
 * there is something to look for.
 */
const { prototype } = createRequire(import.meta.url)("kafkajs/src/network/requestQueue") as {
  prototype: RequestQueue;
};
const schedule = prototype.scheduleCheckPendingRequests;
const send = prototype.sendSocketRequest;

prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
  if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
};

/** Called once a connection stands, to begin looking: the first request that is sent does that here. */
prototype.scheduleRequestTimeoutCheck = () => {};

prototype.sendSocketRequest = function (this: RequestQueue, request) {
  send.call(this, request);
  // No request has less than `requestTimeout`: whoever is sent while the timer runs, it comes in time for.
  if (this.enforceRequestTimeout && this.requestTimeoutIntervalId == null) look(this, this.requestTimeout);
};

const destroy = prototype.destroy;
prototype.destroy = function (this: RequestQueue) {
  destroy.call(this);
  this.requestTimeoutIntervalId = null;
};

function look(queue: RequestQueue, inMs: number): void {
  queue.requestTimeoutIntervalId = setTimeout(() => {
    const now = Date.now();
    for (const request of queue.inflight.values()) {
      if (now - request.sentAt >= request.requestTimeout) request.timeoutRequest();
    }
    const left = [...queue.inflight.values()].map((each) => each.sentAt + each.requestTimeout - now);
    queue.requestTimeoutIntervalId = null;
    if (left.length > 0) look(queue, Math.max(1, Math.min(...left)));
  }, inMs);
}

type RequestQueue = {
  pending: unknown[];
  inflight: Map<number, Request>;
  throttledUntil: number;
  requestTimeout: number;
  enforceRequestTimeout: boolean;
  requestTimeoutIntervalId?: NodeJS.Timeout | null;
  scheduleCheckPendingRequests(): void;
  scheduleRequestTimeoutCheck(): void;
  sendSocketRequest(request: Request): void;
  destroy(): void;
};

type Request = { sentAt: number; requestTimeout: number; timeoutRequest(): void };
