import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test from "node:test";
import { SpanQueue, sendToZipkin } from "./span-queue.ts";
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
      if (!isAway) sent.push(...idsOf(spans));
      return !isAway;
    },
    ...limits,
    waitingMax: 5,
  });
  assert.equal(queue.add([span("a"), span("b"), span("c")]), true);
  assert.equal(queue.add([span("d"), span("e"), span("f")]), false, "none of them is taken");
  assert.equal(queue.add([span("d"), span("e")]), true);
  await tried.promise;
  isAway = false;
  await queue[Symbol.asyncDispose]();
  assert.deepEqual(sent, ["a", "b", "c", "d", "e"]);
});

test("no more bytes wait than fit, however few the spans are, and a request holds no more than its share", async () => {
  const requests: string[][] = [];
  const blocked = Promise.withResolvers<boolean>();
  let first = true;
  const queue = new SpanQueue({
    async send(spans) {
      requests.push(idsOf(spans));
      if (first) await blocked.promise;
      first = false;
      return true;
    },
    ...limits,
    waitingBytesMax: 4_000,
    requestSpansMax: 10,
    requestBytesMax: 2_500,
  });
  const large = (id: string) => ({ ...span(id), tags: { note: "x".repeat(1_000) } });
  assert.equal(queue.add([large("a"), large("b")]), true);
  assert.equal(queue.add([large("c"), large("d")]), false, "none of them is taken");
  assert.equal(queue.add([large("c")]), true);
  blocked.resolve(true);
  await queue[Symbol.asyncDispose]();
  assert.deepEqual(requests, [["a", "b"], ["c"]]);
});

test("the end does not wait for a Zipkin that is away", async () => {
  const queue = new SpanQueue({
    send: async () => false,
    ...limits,
    retryAfterMs: 1_000_000,
  });
  queue.add([span("a")]);
  await queue[Symbol.asyncDispose]();
});

test("spans that Zipkin fails on are dropped with a sentence; those that come too early are sent again", async (t) => {
  const statuses = [202, 503, 400, 500].values();
  const server = createServer((_request, response) => response.writeHead(statuses.next().value!).end());
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const sentences: string[] = [];
  const { port } = server.address() as AddressInfo;
  const send = sendToZipkin(`http://127.0.0.1:${port}`, (sentence) => sentences.push(sentence));
  const done: boolean[] = [];
  for (let i = 0; i < 4; i++) done.push(await send([JSON.stringify(span("a"))]));
  assert.deepEqual(done, [true, false, true, true]);
  assert.deepEqual(sentences, [
    "Zipkin refused 1 spans with 400; they are dropped",
    "Zipkin refused 1 spans with 500; they are dropped",
  ]);
});

const limits = {
  waitingMax: 10,
  waitingBytesMax: 1_000_000,
  requestSpansMax: 2,
  requestBytesMax: 1_000_000,
  retryAfterMs: 1,
};

const idsOf = (spans: string[]): string[] => spans.map((text) => (JSON.parse(text) as ZipkinSpan).id);

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
