import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { type ClientRequest, request } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { FastifyInstance } from "fastify";
import type { Ports } from "../ports.ts";
import { Refusal } from "../refusal.ts";
import { faces, key, picture, stage, stageKey } from "../stage.ts";

const vectors = { img1: [1, 0], img2: [1, 0] };
const rate = { limit: 100, remaining: 7, resetMs: 1_860 };
const image = await picture();

test("RateLimit-Limit/-Remaining/-Reset stand on every answer to a keyed compute call", async (t) => {
  const { app, post } = stage(t, { enter: async () => ({ rate, leave() {} }) });
  for (const [status, reply] of [
    [200, await post("/verify", vectors)],
    [400, await post("/verify", {})],
    [400, await post("/verify", vectors, { "x-request-timeout-ms": "soon" })],
    [415, await post("/verify", "", { "content-type": "image/png" })],
  ] as const) {
    const told = ["limit", "remaining", "reset"].map((name) => reply.headers[`ratelimit-${name}`]);
    assert.deepEqual([reply.statusCode, ...told.map(Number)], [status, 100, 7, 2]);
  }
  const stranger = await app.inject({ method: "POST", url: "/verify" });
  assert.deepEqual([stranger.statusCode, stranger.headers["ratelimit-limit"]], [401, undefined]);
});

test("rate_limited: 429 with Retry-After, before the body is read", async (t) => {
  const refusal = new Refusal("rate_limited", "The team calls too often.", { retryAfterMs: 1_001 });
  const { post } = stage(t, { enter: async () => ({ rate, refusal, leave() {} }) });
  const reply = await post("/verify", "{broken", { "content-type": "application/json" });
  assert.deepEqual([reply.statusCode, reply.json().error], [429, "rate_limited"]);
  assert.deepEqual([reply.headers["retry-after"], reply.headers["ratelimit-limit"]], ["2", "100"]);
});

test("a team has the service's limits where it has none of its own", async (t) => {
  const asked: unknown[] = [];
  const enter: Ports["enter"] = async (team, limits) => {
    asked.push(team, limits);
    return { leave() {} };
  };
  const findKey = async () => ({ ...stageKey, limits: { requestsBurst: 0, inFlightMax: 3 } });
  await stage(t, { enter, findKey, settings: { TEAM_REQUESTS_PER_SECOND: "7" } }).post("/verify", vectors);
  await stage(t, { enter, settings: { AUTH: "off" } }).post("/verify", vectors);
  assert.deepEqual(asked, [
    "ants",
    { requestsPerSecond: 7, requestsBurst: 0, inFlightMax: 3 },
    "anonymous",
    { requestsPerSecond: 0, requestsBurst: 0, inFlightMax: 0 },
  ]);
});

test("/health, /capabilities, /livez and /readyz are not counted", async (t) => {
  const enter = () => Promise.reject(new Error("counted"));
  const { app } = stage(t, { enter });
  for (const path of ["/health", "/capabilities", "/livez", "/readyz"]) {
    assert.equal((await app.inject(path)).statusCode, 200, path);
  }
});

test("a call is counted until it has ended: answered, failed, or hung up", async (t) => {
  const asked = Promise.withResolvers<void>();
  const never = Promise.withResolvers<never>();
  const left = counter();
  const { app, post } = stage(t, {
    enter: async () => ({ leave: left.add }),
    findFaces: () => {
      asked.resolve();
      return never.promise;
    },
  });
  await post("/verify", vectors);
  await post("/verify", {});
  await left.reached(2);
  const call = send(await portOf(app));
  await asked.promise;
  call.destroy();
  await left.reached(3);
  never.reject(new Error("cancelled"));
});

test("who hangs up while the key is looked up holds nothing: no place of the team, no bytes", async (t) => {
  const asked = Promise.withResolvers<void>();
  const found = Promise.withResolvers<typeof stageKey>();
  const left = counter();
  const keys = [found.promise, Promise.resolve(stageKey)].values();
  const body = JSON.stringify({ img1: image, img2: image });
  const { app, post } = stage(t, {
    // One body at a time: a second one fits only when the first has gone.
    settings: { BODY_BYTES_MAX: `${body.length}`, BODIES_IN_FLIGHT_BYTES_MAX: `${body.length}` },
    findKey: () => {
      asked.resolve();
      return keys.next().value!;
    },
    enter: async () => ({ leave: left.add }),
    findFaces: async ({ images }) => images.map(() => faces([1, 0])),
  });
  const port = await portOf(app);
  const closed = new Promise((resolve) => {
    app.server.once("connection", (socket) => socket.once("close", resolve));
  });
  const call = send(port);
  await asked.promise;
  call.destroy();
  await closed;
  found.resolve(stageKey);
  await left.reached(1);
  assert.equal((await post("/verify", { img1: image, img2: image })).statusCode, 200);
});

/** Counts, and says when it has come so far. */
function counter() {
  const counted = new EventEmitter();
  let count = 0;
  return {
    add: () => void counted.emit("count", ++count),
    async reached(wanted: number) {
      for (let now = count; now < wanted; [now] = (await once(counted, "count")) as [number]);
      assert.equal(count, wanted);
    },
  };
}

async function portOf(app: FastifyInstance): Promise<number> {
  await app.listen({ host: "127.0.0.1", port: 0 });
  return (app.server.address() as AddressInfo).port;
}

function send(port: number): ClientRequest {
  const headers = { "content-type": "application/json", "x-api-key": key };
  const call = request({ host: "127.0.0.1", port, method: "POST", path: "/verify", headers });
  call.on("error", () => {});
  call.end(JSON.stringify({ img1: image, img2: image }));
  return call;
}
