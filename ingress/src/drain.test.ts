import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { test } from "node:test";
import type { FastifyInstance } from "fastify";
import { base64Image, facesAnswer, testKey, testServer } from "../testing/server.ts";
import { ApiError } from "./call/api-error.ts";
import type { Ports } from "./call/ports.ts";
import { drain } from "./drain.ts";

const image = await base64Image();
const twoImages = JSON.stringify({ img1: image, img2: image });

// Shorter than the last second of a drain: calls are refused at once.
const shortDrain = { noticeMs: 0, withinMs: 1_000, stopServing: () => {} };

test("a call that outlasts the drain is refused with not_ready, and its tasks are cancelled", async (t) => {
  const dispatched = Promise.withResolvers<AbortSignal>();
  const { app, refuseCalls, drainTimeout } = drainableServer(t, async (signal) => {
    dispatched.resolve(signal);
    await once(signal, "abort");
    throw new ApiError("upstream_timeout", "The call was cancelled.");
  });
  const call = await startCall(app);
  call.end(twoImages);
  const signal = await dispatched.promise;
  const [[response]] = await Promise.all([
    once(call, "response") as Promise<[IncomingMessage]>,
    drain(app, { ...shortDrain, refuseCalls }),
  ]);
  assert.deepEqual([response.statusCode, await errorOf(response)], [503, "not_ready"]);
  assert.equal(response.headers["retry-after"], "1");
  assert.deepEqual([signal.aborted, drainTimeout.aborted], [true, true]);
});

test("a call whose body is still arriving at the end of the drain is refused with not_ready", async (t) => {
  const { app, refuseCalls } = drainableServer(t);
  const call = await startCall(app);
  const arrived = once(app.server, "request");
  call.write(twoImages.slice(0, 10));
  await arrived;
  const [[response]] = await Promise.all([
    once(call, "response") as Promise<[IncomingMessage]>,
    drain(app, { ...shortDrain, refuseCalls }),
  ]);
  assert.deepEqual([response.statusCode, await errorOf(response)], [503, "not_ready"]);
});

test("a call that ends within the drain has its response, and nothing is refused", async (t) => {
  const dispatched = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const { app, refuseCalls, drainTimeout } = drainableServer(t, async () => {
    dispatched.resolve();
    await finish.promise;
  });
  const call = await startCall(app);
  call.end(twoImages);
  await dispatched.promise;
  const drained = drain(app, { ...shortDrain, withinMs: 60_000, refuseCalls });
  finish.resolve();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  response.resume();
  await drained;
  assert.equal(drainTimeout.aborted, false);
});

test("during the notice a call is served on a kept connection, and its response closes it", async (t) => {
  let isStopping = false;
  const { app, refuseCalls } = drainableServer(t, undefined, { isStopping: () => isStopping });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const before = await startCall(app, agent);
  before.end(twoImages);
  const [kept] = (await once(before, "response")) as [IncomingMessage];
  assert.equal(kept.headers.connection, "keep-alive");
  kept.resume();
  await once(kept, "end");

  isStopping = true;
  const stopServing = t.mock.fn();
  void drain(app, { noticeMs: 60_000, withinMs: 120_000, stopServing, refuseCalls });
  const during = await startCall(app, agent);
  during.end(twoImages);
  const [response] = (await once(during, "response")) as [IncomingMessage];
  assert.deepEqual([during.reusedSocket, response.statusCode], [true, 200]);
  assert.equal(response.headers.connection, "close");
  response.resume();
  assert.equal(stopServing.mock.callCount(), 0);
});

test("after the notice no call is accepted, and the server closes", async (t) => {
  const { app, refuseCalls } = drainableServer(t);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const stopServing = t.mock.fn(() => assert.equal(app.server.listening, true));
  await drain(app, { ...shortDrain, noticeMs: 1, stopServing, refuseCalls });
  assert.deepEqual([stopServing.mock.callCount(), app.server.listening], [1, false]);
});

/** A server whose dispatched calls end when `work` does. */
function drainableServer(
  t: Parameters<typeof testServer>[0],
  work: (signal: AbortSignal) => unknown = () => {},
  ports: Partial<Ports> = {},
) {
  const controller = new AbortController();
  const dispatch: Ports["dispatch"] = async ({ images, signal }) => {
    await work(signal);
    return images.map(() => facesAnswer([1, 0]));
  };
  const { app } = testServer(t, { dispatch, drainTimeout: controller.signal, ...ports });
  return { app, refuseCalls: () => controller.abort(), drainTimeout: controller.signal };
}

/** A POST /verify whose body is still to be written. */
async function startCall(app: FastifyInstance, agent?: Agent): Promise<ClientRequest> {
  if (!app.server.listening) await app.listen({ host: "127.0.0.1", port: 0 });
  const call = request({
    port: (app.server.address() as AddressInfo).port,
    method: "POST",
    path: "/verify",
    ...(agent && { agent }),
    headers: {
      "x-api-key": testKey,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(twoImages),
    },
  });
  call.flushHeaders();
  return call;
}

const errorOf = async (response: IncomingMessage) => ((await json(response)) as { error: string }).error;
