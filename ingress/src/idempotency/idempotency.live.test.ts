import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { readConfig } from "@faceline/contracts/runtime/config";
import { connectVolatileRedis, VolatileRedisConfig } from "@faceline/contracts/runtime/redis";
import type { Answer } from "@faceline/contracts/wire/answer";
import { idempotencyRecordKey } from "@faceline/contracts/wire/names";
import type { FacesCall } from "../ports.ts";
import { Refusal } from "../refusal.ts";
import { HttpSettings } from "../settings.ts";
import { faces, key, picture, rejected, stage, stageKey, until } from "../stage.ts";
import { openClaims } from "./claims.ts";

const config = readConfig(VolatileRedisConfig, process.env);
const image = await picture();
const body = { img: image };
const faced = async ({ images }: FacesCall) => images.map(() => faces([1, 0]));

test("one key, 20 calls at a time over two ingresses: computed once, 20 equal answers", async (t) => {
  const { ingress, idempotency } = await scene(t);
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
  // Each has its own id in its header, and the first one's in the body.
  assert.deepEqual(
    calls.map(({ headers }) => headers["x-request-id"]),
    calls.map((_, i) => `call-${i}`),
  );
});

test("a later call is given the answer that was kept, on any ingress, until it has been kept for so long", async (t) => {
  const { ingress, idempotency, entry, redis } = await scene(t);
  const [one, other] = [await ingress(), await ingress()];
  const first = await one.post("/represent", body, idempotency);
  const again = await other.post("/represent", body, idempotency);
  assert.deepEqual([again.body, again.headers["content-type"]], [first.body, first.headers["content-type"]]);
  assert.deepEqual(
    [first, again].map(({ headers }) => headers["idempotency-replayed"]),
    [undefined, "true"],
  );
  assert.equal(other.computed.length, 0);
  const lastsMs = await redis.pttl(entry);
  assert.ok(lastsMs > 0 && lastsMs <= 600_000, `${lastsMs}`);
  // The image is not kept, nor anything of the body.
  assert.deepEqual((await redis.hkeys(entry)).toSorted(), ["body", "fingerprint", "state", "status", "type"]);
});

test("another body, path or query under one key is idempotency_conflict; another team's key is its own", async (t) => {
  const { ingress, idempotency } = await scene(t);
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
  const elsewhere = await (await scene(t)).ingress();
  assert.equal((await elsewhere.post("/represent", { ...body, align: false }, idempotency)).statusCode, 200);
});

test("what would end the same way again is kept; what failed here leaves the key free", async (t) => {
  const faceless = await scene(t);
  const { post, computed } = await faceless.ingress(async () => [rejected("no_face_detected")]);
  for (let i = 0; i < 2; i++) {
    const reply = await post("/represent", body, faceless.idempotency);
    assert.deepEqual([reply.statusCode, reply.json().error], [400, "no_face_detected"]);
  }
  assert.equal(computed.length, 1);

  const failing = await scene(t);
  const attempts = [
    async () => {
      throw new Refusal("queue_full", "Too many calls are waiting.", { retryAfterMs: 1 });
    },
    faced,
  ].values();
  const flaky = await failing.ingress((call) => attempts.next().value!(call));
  assert.equal((await flaky.post("/represent", body, failing.idempotency)).statusCode, 503);
  const second = await flaky.post("/represent", body, failing.idempotency);
  assert.deepEqual([second.statusCode, second.headers["idempotency-replayed"]], [200, undefined]);
});

test("a claim whose ingress died frees itself, and the call is computed again", async (t) => {
  const { ingress, idempotency, entry, redis } = await scene(t);
  const never = Promise.withResolvers<Answer[]>();
  const [dying, other] = [await ingress(() => never.promise), await ingress()];
  const lost = dying.post("/represent", body, idempotency);
  await dying.begun;
  dying.redis.disconnect();
  const lastsMs = await redis.pttl(entry);
  assert.ok(lastsMs > 0 && lastsMs <= 2_500, `the claim lasts ${lastsMs} ms`);
  const reply = await other.post("/represent", body, idempotency);
  assert.deepEqual([reply.statusCode, other.computed.length], [200, 1]);
  // Its late answer changes nothing.
  never.resolve([faces([0, 1])]);
  await lost;
  assert.equal((await other.post("/represent", body, idempotency)).body, reply.body);
});

test("of two that computed, because a claim lapsed in between, the first answer stands", async (t) => {
  const { ingress, idempotency, entry, redis } = await scene(t);
  const late = Promise.withResolvers<Answer[]>();
  const [stalled, other] = [await ingress(() => late.promise), await ingress()];
  const first = stalled.post("/represent", body, idempotency);
  await stalled.begun;
  await redis.del(entry);
  const second = await other.post("/represent", body, idempotency);
  late.resolve([faces([0, 1])]);
  assert.notDeepEqual((await first).json().results, second.json().results);
  assert.equal((await other.post("/represent", body, idempotency)).body, second.body);
});

test("a claim is renewed for as long as its call runs", async (t) => {
  const { ingress, idempotency, entry, redis } = await scene(t);
  const answer = Promise.withResolvers<Answer[]>();
  const slow = await ingress(() => answer.promise);
  const call = slow.post("/represent", body, idempotency);
  await slow.begun;
  await redis.pexpire(entry, 1_000);
  await until("it is renewed", async () => (await redis.pttl(entry)) > 1_000);
  answer.resolve([faces([1, 0])]);
  assert.equal((await call).statusCode, 200);
});

test("who hangs up leaves the key to the one who waits", async (t) => {
  const { ingress, idempotency } = await scene(t);
  const never = Promise.withResolvers<Answer[]>();
  const [left, other] = [await ingress(() => never.promise), await ingress()];
  await left.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = left.app.server.address() as AddressInfo;
  const headers = { ...idempotency, "x-api-key": key };
  const call = request({ host: "127.0.0.1", port, method: "POST", path: "/represent", headers });
  call.on("error", () => {});
  call.end(JSON.stringify(body));
  await left.begun;
  const waiting = other.post("/represent", body, idempotency);
  call.destroy();
  assert.equal((await waiting).statusCode, 200);
  assert.equal(other.computed.length, 1);
  never.reject(new Error("cancelled"));
});

test("who waits for the first call does so until its own deadline", async (t) => {
  const { ingress, idempotency } = await scene(t);
  const answer = Promise.withResolvers<Answer[]>();
  const [slow, other] = [await ingress(() => answer.promise), await ingress()];
  const first = slow.post("/represent", body, idempotency);
  await slow.begun;
  const late = await other.post("/represent", body, { ...idempotency, "x-request-timeout-ms": "60" });
  assert.deepEqual([late.statusCode, late.json().error], [504, "upstream_timeout"]);
  answer.resolve([faces([1, 0])]);
  assert.equal((await first).statusCode, 200);
});

test("an answer above the budgets is not kept: who waits computes, and the next one too", async (t) => {
  for (const settings of [
    { IDEMPOTENCY_ANSWER_BYTES_MAX: "600" },
    { IDEMPOTENCY_TEAM_BYTES_MAX: "600" },
    { IDEMPOTENCY_BYTES_MAX: "600" },
  ]) {
    const { ingress, idempotency, entry, redis } = await scene(t, settings);
    const { post, computed } = await ingress();
    await Promise.all(Array.from({ length: 5 }, () => post("/represent", body, idempotency)));
    assert.equal(computed.length, 5);
    assert.equal(await redis.hget(entry, "body"), null);
    assert.ok((await redis.pttl(entry)) <= 10_000);
  }
});

test("a team's budget is its own, and counts what it keeps", async (t) => {
  const { ingress, idempotency } = await scene(t, { IDEMPOTENCY_TEAM_BYTES_MAX: "1200" });
  const { post, computed } = await ingress();
  const keys = [idempotency, { "idempotency-key": "second" }];
  for (const headers of [...keys, ...keys]) await post("/represent", body, headers);
  // The first is kept, the second is not.
  assert.equal(computed.length, 3);
});

test("Idempotency-Key: 1 to 128 characters, else invalid_request before the body is read", async (t) => {
  const { ingress } = await scene(t);
  const { post } = await ingress();
  for (const given of ["x".repeat(129), "", "é"]) {
    const reply = await post("/represent", "{broken", {
      "idempotency-key": given,
      "content-type": "application/json",
    });
    const { error, field } = reply.json();
    assert.deepEqual([reply.statusCode, error, field], [400, "invalid_request", "idempotency-key"], given);
  }
  assert.equal((await post("/represent", body, { "idempotency-key": "x".repeat(128) })).statusCode, 200);
});

test("while Redis is away a call with a key is dependency_unavailable, one without is served", async (t) => {
  const { ingress, idempotency } = await scene(t);
  const { post, redis } = await ingress();
  redis.disconnect();
  const reply = await post("/represent", body, idempotency);
  assert.deepEqual([reply.statusCode, reply.json().error], [503, "dependency_unavailable"]);
  assert.equal((await post("/represent", body)).statusCode, 200);
});

/** A team with one `Idempotency-Key`, and ingresses that share the real Redis. */
async function scene(t: TestContext, given: Record<string, string> = {}) {
  const settings = HttpSettings.parse(given);
  const team = `team-${randomUUID()}`;
  const idempotency = { "idempotency-key": "order 7" };
  const connection = async () => {
    const redis = await connectVolatileRedis(config);
    t.after(() => redis[Symbol.asyncDispose]());
    return redis;
  };
  const ingress = async (findFaces: (call: FacesCall) => Promise<Answer[]> = faced) => {
    const redis = await connection();
    const clock = { now: () => performance.timeOrigin + performance.now() };
    const claims = openClaims(redis, clock, settings);
    t.after(() => claims[Symbol.asyncDispose]());
    const begun = Promise.withResolvers<void>();
    const { app, post, asked } = stage(t, {
      clock,
      claim: claims.claim,
      findKey: async () => ({ ...stageKey, key: { ...stageKey.key, team } }),
      findFaces: (call) => {
        begun.resolve();
        return findFaces(call);
      },
    });
    return { app, post, redis, begun: begun.promise, computed: asked };
  };
  const sha256 = createHash("sha256").update(idempotency["idempotency-key"]).digest("hex");
  return { ingress, idempotency, redis: await connection(), entry: idempotencyRecordKey(team, sha256) };
}
