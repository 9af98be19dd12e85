import assert from "node:assert/strict";
import test from "node:test";
import { SpanQueue } from "./span-queue.ts";
import type { ZipkinSpan } from "./zipkin-spans.ts";

test("spans wait while Zipkin is away, are sent in their order, and no more wait than fit", async () => {
  const sent: string[] = [];
  let isAway = true;
  let tries = 0;
  const tried = Promise.withResolvers<void>();
  const queue = new SpanQueue({
    async send(spans) {
      tries += 1;
      if (tries === 3) tried.resolve();
      if (!isAway) sent.push(...spans.map(({ id }) => id));
      return !isAway;
    },
    waitingMax: 5,
    requestSpansMax: 2,
    retryAfterMs: 1,
  });
  assert.equal(queue.add([span("a"), span("b"), span("c")]), true);
  assert.equal(queue.add([span("d"), span("e"), span("f")]), false, "none of them is taken");
  assert.equal(queue.add([span("d"), span("e")]), true);
  await tried.promise;
  isAway = false;
  await queue[Symbol.asyncDispose]();
  assert.deepEqual(sent, ["a", "b", "c", "d", "e"]);
});

test("the end does not wait for a Zipkin that is away", async () => {
  const queue = new SpanQueue({
    send: async () => false,
    waitingMax: 5,
    requestSpansMax: 2,
    retryAfterMs: 1_000_000,
  });
  queue.add([span("a")]);
  await queue[Symbol.asyncDispose]();
});

const span = (id: string): ZipkinSpan => ({
  traceId: "1".repeat(32),
  id,
  name: "queue",
  timestamp: 1,
  duration: 1,
  localEndpoint: { serviceName: "test" },
  annotations: [],
  tags: {},
});
