import { createRequire } from "node:module";
import { reportSilence } from "./connection-silence.ts";
import { HangTimeout } from "./starvation.ts";

/**
 * Patches two timers of kafkajs 2.2.4 that run on every connection, even when it is idle. One polls for
 * requests that wait to be sent, and re-arms itself with a negative delay, which Node 24 takes for 1 ms
 * (tulios/kafkajs issue 1751; pull requests 1755 and 1768 are not merged): in three idle services, that costs
 * a tenth of a core. With the patch, it is armed only while there are such requests. The other polls ten
 * times a second for requests without a response. With the patch, each request has a HangTimeout, so that
 * responses are read before their requests count as overdue.
 */
const require = createRequire(import.meta.url);
const { prototype: queue } = require("kafkajs/src/network/requestQueue") as { prototype: RequestQueue };
const { prototype: request } = require("kafkajs/src/network/requestQueue/socketRequest") as {
  prototype: SocketRequest;
};
const { scheduleCheckPendingRequests } = queue;
const { send, completed, rejected } = request;

queue.scheduleCheckPendingRequests = function (this: RequestQueue) {
  if (this.pending.length > 0 || this.throttledUntil > Date.now()) scheduleCheckPendingRequests.call(this);
};

/** Kafkajs calls this once connected, to start the polling. */
queue.scheduleRequestTimeoutCheck = () => {};

request.send = function (this: SocketRequest) {
  send.call(this);
  const timeout = new HangTimeout(this.requestTimeout, () => {
    reportSilence(`Kafka at ${this.broker}, ${this.clientId}`, timeout.isStarved);
    this.timeoutRequest();
  });
  this.hangTimeout = timeout;
};

request.completed = function (this: SocketRequest, response) {
  this.hangTimeout?.[Symbol.dispose]();
  completed.call(this, response);
};

request.rejected = function (this: SocketRequest, error) {
  this.hangTimeout?.[Symbol.dispose]();
  rejected.call(this, error);
};

type RequestQueue = {
  pending: unknown[];
  throttledUntil: number;
  scheduleCheckPendingRequests(): void;
  scheduleRequestTimeoutCheck(): void;
};

type SocketRequest = {
  broker: string;
  clientId: string;
  requestTimeout: number;
  /** Ours. */
  hangTimeout?: HangTimeout;
  send(): void;
  completed(response: object): void;
  rejected(error: Error): void;
  timeoutRequest(): void;
};
