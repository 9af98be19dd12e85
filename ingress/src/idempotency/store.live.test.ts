import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { connectVolatileRedis, VolatileRedisConfig } from "@faceline/runtime/redis";
import type { Answer } from "@faceline/contracts/wire/answer";
import { idempotencyRecordKey } from "@faceline/contracts/wire/names";
import {
  base64Image,
  facesAnswer,
  rejectedAnswer,
  testKey,
  testKeyRecord,
  testServer,
  waitUntil,
} from "../../testing/server.ts";
import { ApiError } from "../call/api-error.ts";
import type { DispatchedCall } from "../call/ports.ts";
import { openIdempotencyStore, type ReplyLimits } from "./store.ts";

const config = readConfig(VolatileRedisConfig, process.env);
const image = await base64Image();
const body = { img: image };
const oneFace = async ({ images }: DispatchedCall) => images.map(() => facesAnswer([1, 0]));

test("of 20 concurrent calls with one key over two processes one computes, and all get its reply", async (t) => {
  const { ingress, idempotency } = await teamWithKey(t);
  const [one, other] = [await ingress(), await ingress()];
  const calls = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? one : other).post("/represent", body, { ...idempotency, "x-request-id": `call-${i}` }),
    ),
  );
  assert.equal(one.computed.length + other.computed.length, 1);
  assert.deepEqual([...new Set(calls.map(({ statusCode }) => statusCode))], [200]);
  assert.equal(new Set(calls.map((call) => call.body)).size, 1);
  assert.equal(calls.filter(({ headers }) => headers["idempotency-replayed"] === "true").length, 19);
  // Each reply has the call's own id in its header, and that of the first call in its body.
  assert.deepEqual(
    calls.map(({ headers }) => headers["x-request-id"]),
    calls.map((_, i) => `call-${i}`),
  );
});

test("a later call gets the stored reply, on any process, until it expires", async (t) => {
  const { ingress, idempotency, record, redis } = await teamWithKey(t);
  const [one, other] = [await ingress(), await ingress()];
  const first = await one.post("/represent", body, idempotency);
  const again = await other.post("/represent", body, idempotency);
  assert.deepEqual([again.body, again.headers["content-type"]], [first.body, first.headers["content-type"]]);
  assert.deepEqual(
    [first, again].map(({ headers }) => headers["idempotency-replayed"]),
    [undefined, "true"],
  );
  assert.equal(other.computed.length, 0);
  const lastsMs = await redis.pttl(record);
  assert.ok(lastsMs > 0 && lastsMs <= 600_000, `${lastsMs}`);
  // Neither the image nor any other part of the request is stored.
  assert.deepEqual((await redis.hkeys(record)).toSorted(), [
    "body",
    "fingerprint",
    "state",
    "status",
    "type",
  ]);
});

test("one key with another body, path or query is idempotency_conflict; keys of other teams are separate", async (t) => {
  const { ingress, idempotency } = await teamWithKey(t);
  const { post } = await ingress();
  await post("/represent", body, idempotency);
  for (const reply of [
    await post("/represent", { ...body, align: false }, idempotency),
    await post("/represent?format=array", body, idempotency),
    await post("/verify", { img1: image, img2: image }, idempotency),
  ]) {
    const { error, field } = reply.json();
    assert.deepEqual([reply.statusCode, error, field], [409, "idempotency_conflict", "idempotency-key"]);
  }
  const elsewhere = await (await teamWithKey(t)).ingress();
  assert.equal((await elsewhere.post("/represent", { ...body, align: false }, idempotency)).statusCode, 200);
});

test("a reply that would be the same again is stored; after a failure the key is free", async (t) => {
  const faceless = await teamWithKey(t);
  const { post, computed } = await faceless.ingress(async () => [rejectedAnswer("no_face_detected")]);
  for (let i = 0; i < 2; i++) {
    const reply = await post("/represent", body, faceless.idempotency);
    assert.deepEqual([reply.statusCode, reply.json().error], [400, "no_face_detected"]);
  }
  assert.equal(computed.length, 1);

  const failing = await teamWithKey(t);
  const attempts = [
    async () => {
      throw new ApiError("queue_full", "Too many requests are waiting.", { retryAfterMs: 1 });
    },
    oneFace,
  ].values();
  const flaky = await failing.ingress((call) => attempts.next().value!(call));
  assert.equal((await flaky.post("/represent", body, failing.idempotency)).statusCode, 503);
  const second = await flaky.post("/represent", body, failing.idempotency);
  assert.deepEqual([second.statusCode, second.headers["idempotency-replayed"]], [200, undefined]);
});

test("the lock of a dead process expires, and the call is computed again", async (t) => {
  const { ingress, idempotency, record, redis } = await teamWithKey(t);
  const never = Promise.withResolvers<Answer[]>();
  const [dying, other] = [await ingress(() => never.promise), await ingress()];
  const lost = dying.post("/represent", body, idempotency);
  await dying.begun;
  dying.redis.disconnect();
  const lastsMs = await redis.pttl(record);
  assert.ok(lastsMs > 0 && lastsMs <= 2_500, `the lock lasts ${lastsMs} ms`);
  const reply = await other.post("/represent", body, idempotency);
  assert.deepEqual([reply.statusCode, other.computed.length], [200, 1]);
  // The late reply of the dead process changes nothing.
  never.resolve([facesAnswer([0, 1])]);
  await lost;
  assert.equal((await other.post("/represent", body, idempotency)).body, reply.body);
});

test("if two calls computed because a lock expired, the reply that was stored first stays", async (t) => {
  const { ingress, idempotency, record, redis } = await teamWithKey(t);
  const late = Promise.withResolvers<Answer[]>();
  const [stalled, other] = [await ingress(() => late.promise), await ingress()];
  const first = stalled.post("/represent", body, idempotency);
  await stalled.begun;
  await redis.del(record);
  const second = await other.post("/represent", body, idempotency);
  late.resolve([facesAnswer([0, 1])]);
  assert.notDeepEqual((await first).json().results, second.json().results);
  assert.equal((await other.post("/represent", body, idempotency)).body, second.body);
});

test("a lock is renewed for as long as its call runs", async (t) => {
  const { ingress, idempotency, record, redis } = await teamWithKey(t);
  const answer = Promise.withResolvers<Answer[]>();
  const slow = await ingress(() => answer.promise);
  const call = slow.post("/represent", body, idempotency);
  await slow.begun;
  await redis.pexpire(record, 1_000);
  await waitUntil("the lock is renewed", async () => (await redis.pttl(record)) > 1_000);
  answer.resolve([facesAnswer([1, 0])]);
  assert.equal((await call).statusCode, 200);
});

test("a client that disconnects leaves the key to the call that waits", async (t) => {
  const { ingress, idempotency } = await teamWithKey(t);
  const never = Promise.withResolvers<Answer[]>();
  const [abandoned, other] = [await ingress(() => never.promise), await ingress()];
  await abandoned.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = abandoned.app.server.address() as AddressInfo;
  const headers = { ...idempotency, "x-api-key": testKey };
  const call = request({ host: "127.0.0.1", port, method: "POST", path: "/represent", headers });
  call.on("error", () => {});
  call.end(JSON.stringify(body));
  await abandoned.begun;
  const waiting = other.post("/represent", body, idempotency);
  call.destroy();
  assert.equal((await waiting).statusCode, 200);
  assert.equal(other.computed.length, 1);
  never.reject(new Error("cancelled"));
});

test("a call that waits for the first one waits until its own deadline", async (t) => {
  const { ingress, idempotency } = await teamWithKey(t);
  const answer = Promise.withResolvers<Answer[]>();
  const [slow, other] = [await ingress(() => answer.promise), await ingress()];
  const first = slow.post("/represent", body, idempotency);
  await slow.begun;
  const late = await other.post("/represent", body, { ...idempotency, "x-request-timeout-ms": "60" });
  assert.deepEqual([late.statusCode, late.json().error], [504, "upstream_timeout"]);
  answer.resolve([facesAnswer([1, 0])]);
  assert.equal((await first).statusCode, 200);
});

test("a reply above a limit in bytes is not stored: waiting and later calls compute their own", async (t) => {
  for (const limit of ["replyBytesMax", "teamBytesMax", "bytesMax"]) {
    const { ingress, idempotency, record, redis } = await teamWithKey(t, { [limit]: 600 });
    const { post, computed } = await ingress();
    await Promise.all(Array.from({ length: 5 }, () => post("/represent", body, idempotency)));
    assert.equal(computed.length, 5);
    assert.equal(await redis.hget(record, "body"), null);
    assert.ok((await redis.pttl(record)) <= 10_000);
  }
});

test("the budget of a team counts the bytes that it has stored", async (t) => {
  const { ingress, idempotency } = await teamWithKey(t, { teamBytesMax: 1_200 });
  const { post, computed } = await ingress();
  const keys = [idempotency, { "idempotency-key": "second" }];
  for (const headers of [...keys, ...keys]) await post("/represent", body, headers);
  // The first reply is stored, the second is not.
  assert.equal(computed.length, 3);
});

test("a process that stops right after a reply has stored it", async (t) => {
  const { redis } = await teamWithKey(t);
  const team = `team-${randomUUID()}`;
  // As in the ingress: commands are sent at the end of the turn, so the connection could close before that.
  const own = await connectVolatileRedis(config, { autoPipelining: true });
  const clock = { now: () => performance.timeOrigin + performance.now() };
  const store = openIdempotencyStore(own, clock);
  const lookup = await store.acquire(team, "order 7", "fingerprint");
  assert.ok(lookup.kind === "acquired");
  void lookup.lock.store({ status: 200, type: "application/json", body: "{}" });
  await store[Symbol.asyncDispose]();
  await own[Symbol.asyncDispose]();

  const other = openIdempotencyStore(redis, clock);
  t.after(() => other[Symbol.asyncDispose]());
  assert.equal((await other.acquire(team, "order 7", "fingerprint")).kind, "stored");
});

test("Idempotency-Key: 1 to 128 characters, else invalid_request before the body is read", async (t) => {
  const { ingress } = await teamWithKey(t);
  const { post } = await ingress();
  for (const idempotencyKey of ["x".repeat(129), "", "é"]) {
    const reply = await post("/represent", "{broken", {
      "idempotency-key": idempotencyKey,
      "content-type": "application/json",
    });
    const { error, field } = reply.json();
    assert.deepEqual(
      [reply.statusCode, error, field],
      [400, "invalid_request", "idempotency-key"],
      idempotencyKey,
    );
  }
  assert.equal((await post("/represent", body, { "idempotency-key": "x".repeat(128) })).statusCode, 200);
});

test("while Redis is unreachable a call with a key is dependency_unavailable, one without is served", async (t) => {
  const { ingress, idempotency } = await teamWithKey(t);
  const { post, redis } = await ingress();
  redis.disconnect();
  const reply = await post("/represent", body, idempotency);
  assert.deepEqual([reply.statusCode, reply.json().error], [503, "dependency_unavailable"]);
  assert.equal((await post("/represent", body)).statusCode, 200);
});

/** A team with one `Idempotency-Key`, and servers that share the real Redis. */
async function teamWithKey(t: TestContext, limits: Partial<ReplyLimits> = {}) {
  const team = `team-${randomUUID()}`;
  const idempotency = { "idempotency-key": "order 7" };
  const connection = async () => {
    const redis = await connectVolatileRedis(config);
    t.after(() => redis[Symbol.asyncDispose]());
    return redis;
  };
  const ingress = async (dispatch: (call: DispatchedCall) => Promise<Answer[]> = oneFace) => {
    const redis = await connection();
    const clock = { now: () => performance.timeOrigin + performance.now() };
    const store = openIdempotencyStore(redis, clock, limits);
    t.after(() => store[Symbol.asyncDispose]());
    const begun = Promise.withResolvers<void>();
    const { app, post, dispatched } = testServer(t, {
      clock,
      acquireIdempotencyKey: store.acquire,
      findKey: async () => ({ ...testKeyRecord, key: { ...testKeyRecord.key, team } }),
      dispatch: (call) => {
        begun.resolve();
        return dispatch(call);
      },
    });
    return { app, post, redis, begun: begun.promise, computed: dispatched };
  };
  const sha256 = createHash("sha256").update(idempotency["idempotency-key"]).digest("hex");
  return { ingress, idempotency, redis: await connection(), record: idempotencyRecordKey(team, sha256) };
}
