import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { type ClientRequest, request } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { FastifyInstance } from "fastify";
import { base64Image, facesAnswer, testKey, testKeyRecord, testServer } from "../testing/server.ts";
import { ApiError } from "./call/api-error.ts";
import type { DispatchedCall, Ports } from "./call/ports.ts";

const vectors = { model_name: "SFace", img1: [1, 0], img2: [1, 0] };
const rate = { limit: 100, remaining: 7, resetMs: 1_860 };
const image = await base64Image();

test("every response to a compute call with a valid key has RateLimit-Limit, -Remaining and -Reset", async (t) => {
  const { app, post } = testServer(t, { acquireTeamSlot: async () => ({ rate, release() {} }) });
  for (const [status, response] of [
    [200, await post("/verify", vectors)],
    [400, await post("/verify", {})],
    [400, await post("/verify", vectors, { "x-request-timeout-ms": "soon" })],
    [415, await post("/verify", "", { "content-type": "text/html" })],
  ] as const) {
    const headers = ["limit", "remaining", "reset"].map((name) => response.headers[`ratelimit-${name}`]);
    assert.deepEqual([response.statusCode, ...headers.map(Number)], [status, 100, 7, 2]);
  }
  const unauthenticated = await app.inject({ method: "POST", url: "/verify" });
  assert.deepEqual(
    [unauthenticated.statusCode, unauthenticated.headers["ratelimit-limit"]],
    [401, undefined],
  );
});

test("rate_limited: 429 with Retry-After, before the body is read", async (t) => {
  const error = new ApiError("rate_limited", "The team calls too often.", { retryAfterMs: 1_001 });
  const { post } = testServer(t, { acquireTeamSlot: async () => ({ rate, error, release() {} }) });
  const response = await post("/verify", "{broken", { "content-type": "application/json" });
  assert.deepEqual([response.statusCode, response.json().error], [429, "rate_limited"]);
  assert.deepEqual([response.headers["retry-after"], response.headers["ratelimit-limit"]], ["2", "100"]);
});

test("a team without limits of its own has the limits of the service", async (t) => {
  const acquired: unknown[] = [];
  const acquireTeamSlot: Ports["acquireTeamSlot"] = async (team, limits) => {
    acquired.push(team, limits);
    return { release() {} };
  };
  const findKey = async () => ({ ...testKeyRecord, limits: { requestsBurst: 0, inFlightMax: 3 } });
  await testServer(t, { acquireTeamSlot, findKey, settings: { TEAM_REQUESTS_PER_SECOND: "7" } }).post(
    "/verify",
    vectors,
  );
  await testServer(t, { acquireTeamSlot, settings: { AUTH: "off" } }).post("/verify", vectors);
  assert.deepEqual(acquired, [
    "ants",
    { requestsPerSecond: 7, requestsBurst: 0, inFlightMax: 3, bodyBytesPerSecond: 32 * 1_048_576 },
    "anonymous",
    { requestsPerSecond: 0, requestsBurst: 0, inFlightMax: 0, bodyBytesPerSecond: 0 },
  ]);
});

test("the public endpoints are not counted against a team", async (t) => {
  const acquireTeamSlot = () => Promise.reject(new Error("counted"));
  const { app } = testServer(t, { acquireTeamSlot });
  for (const path of ["/health", "/capabilities", "/livez", "/readyz"]) {
    assert.equal((await app.inject(path)).statusCode, 200, path);
  }
});

test("a call is counted until it ends: with a response, with an error, or by a disconnect", async (t) => {
  const started = Promise.withResolvers<void>();
  const never = Promise.withResolvers<never>();
  const released = counter();
  const { app, post } = testServer(t, {
    acquireTeamSlot: async () => ({ release: released.add }),
    dispatch: () => {
      started.resolve();
      return never.promise;
    },
  });
  await post("/verify", vectors);
  await post("/verify", {});
  await released.reached(2);
  const call = send(await portOf(app));
  await started.promise;
  call.destroy();
  await released.reached(3);
  never.reject(new Error("cancelled"));
});

test("a client that disconnects during the key lookup holds neither a slot of its team nor bytes", async (t) => {
  const started = Promise.withResolvers<void>();
  const lookup = Promise.withResolvers<typeof testKeyRecord>();
  const released = counter();
  const keys = [lookup.promise, Promise.resolve(testKeyRecord)].values();
  const body = JSON.stringify({ img1: image, img2: image });
  const { app, post } = testServer(t, {
    // Room for one body: a second one fits only after the first was released.
    settings: { BODY_BYTES_MAX: `${body.length}`, BODIES_IN_FLIGHT_BYTES_MAX: `${body.length}` },
    findKey: () => {
      started.resolve();
      return keys.next().value!;
    },
    acquireTeamSlot: async () => ({ release: released.add }),
    dispatch: async ({ images }) => images.map(() => facesAnswer([1, 0])),
  });
  const port = await portOf(app);
  const closed = new Promise((resolve) => {
    app.server.once("connection", (socket) => socket.once("close", resolve));
  });
  const call = send(port);
  await started.promise;
  call.destroy();
  await closed;
  lookup.resolve(testKeyRecord);
  await released.reached(1);
  assert.equal((await post("/verify", body, { "content-type": "application/json" })).statusCode, 200);
});

test("images of a client that has left stay its own while its handler runs, and then their memory is free", async (t) => {
  const released = counter();
  const dispatches: DispatchedCall[] = [];
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: end, resolve: endFirst } = Promise.withResolvers<void>();
  const { app, post } = testServer(t, {
    acquireTeamSlot: async () => ({ release: released.add }),
    async dispatch(call) {
      const isFirst = dispatches.push(call) === 1;
      begin();
      if (isFirst) await end;
      return call.images.map(() => facesAnswer([1, 0]));
    },
  });
  const [ours, theirs] = ["a", "b"].map((filling) =>
    Buffer.concat([Buffer.from(image, "base64"), Buffer.alloc(50_000, filling)]).toString("base64"),
  );
  const call = send(await portOf(app), ours);
  await begun;
  const [first] = dispatches[0]!.images;
  call.destroy();
  await released.reached(1);
  await post("/verify", { img1: theirs, img2: theirs });
  await released.reached(2);
  assert.equal(first!.toString("base64"), ours);
  endFirst();
  await new Promise(setImmediate);
  assert.ok(first!.every((byte) => byte === 0));
});

/** Counts, and resolves when a count is reached. */
function counter() {
  const counted = new EventEmitter();
  let count = 0;
  return {
    add: () => void counted.emit("count", ++count),
    async reached(expected: number) {
      for (let now = count; now < expected; [now] = (await once(counted, "count")) as [number]);
      assert.equal(count, expected);
    },
  };
}

async function portOf(app: FastifyInstance): Promise<number> {
  await app.listen({ host: "127.0.0.1", port: 0 });
  return (app.server.address() as AddressInfo).port;
}

function send(port: number, img = image): ClientRequest {
  const headers = { "content-type": "application/json", "x-api-key": testKey };
  const call = request({ host: "127.0.0.1", port, method: "POST", path: "/verify", headers });
  call.on("error", () => {});
  call.end(JSON.stringify({ img1: img, img2: img }));
  return call;
}
