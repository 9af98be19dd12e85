import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { readRecentErrors, readUsage, type UsageCount } from "@faceline/accounts/usage/read-usage";
import { metricsOff } from "@faceline/runtime/metrics/metrics";
import { connectRedis } from "@faceline/runtime/redis";
import { SwallowingProxy } from "@faceline/runtime/testing/swallowing-proxy";
import { keylessTenant, visitorsTenant } from "@faceline/contracts/wire/ids";
import { testKeyRecord, testNow, testServer, waitUntil } from "../../testing/server.ts";
import { ApiError } from "../call/api-error.ts";
import type { Ports } from "../call/ports.ts";
import { readServiceUsage } from "./read-team-usage.ts";
import { openUsageCounter } from "./usage-counter.ts";

const url = process.env["REDIS_DURABLE_URL"] ?? "";
const day = new Date(testNow).toISOString().slice(0, 10);
const vectors = { model_name: "SFace", img1: [1, 0], img2: [1, 0] };
const verify = (outcome: string, calls = 1) => ({ endpoint: "/verify", outcome, calls });

test("each call of a team counts once, by its endpoint and how it ended, with the ids of those that failed", async (t) => {
  const { team, post, end, usageOf, durable } = await countedServer(t, {
    acquireTeamSlot: async () =>
      limited ? { error: new ApiError("rate_limited", "Too many."), release() {} } : { release() {} },
  });
  let limited = false;
  await post("/verify", vectors);
  await post("/compare", { model_name: "SFace", vector: [1, 0], candidates: [[1, 0]] });
  await post(
    "/verify",
    { model_name: "SFace", img1: [1, 0], img2: "http://a.test/b.jpg" },
    { "x-request-id": "the-url" },
  );
  await post("/verify", "{", { "x-request-id": "the-json" });
  limited = true;
  await post("/verify", vectors, { "x-request-id": "the-limit" });
  // Neither a call of the API nor a failure of one.
  await post("/made-up", vectors);
  await end();
  assert.deepEqual(await usageOf(team), [
    { endpoint: "/compare", outcome: "ok", calls: 1 },
    verify("invalid_json"),
    verify("ok"),
    verify("rate_limited"),
    verify("unsupported_image_source"),
  ]);
  const keyId = testKeyRecord.key.id;
  const errors = (await readRecentErrors(durable, team)).map(({ code, newest }) => [code, newest[0]!]);
  assert.deepEqual(Object.fromEntries(errors), {
    unsupported_image_source: { at: testNow, endpoint: "/verify", requestId: "the-url", keyId },
    invalid_json: { at: testNow, endpoint: "/verify", requestId: "the-json", keyId },
    rate_limited: { at: testNow, endpoint: "/verify", requestId: "the-limit", keyId },
  });
});

test("operators see the calls of all callers, by day and by team", async (t) => {
  const { team, post, end, durable } = await countedServer(t);
  const before = await readServiceUsage(durable, testNow);
  await post("/verify", vectors);
  await post("/verify", "{");
  await post("/verify", vectors, { "x-api-key": "guessed" });
  await end();
  const { days, teams } = await readServiceUsage(durable, testNow);
  assert.equal(days.length, 30);
  assert.deepEqual(added(days.at(-1)!.counts, before.days.at(-1)!.counts).toSorted(byName), [
    verify("invalid_api_key"),
    verify("invalid_json"),
    verify("ok"),
  ]);
  assert.deepEqual(
    teams.filter((each) => each.team === team),
    [{ team, calls: 2, answered: 1, refused: 1, failed: 0, left: 0 }],
  );
  assert.ok(teams.some((each) => each.team === keylessTenant));
});

test("a revoked key counts for its team; calls of visitors and without a valid key have names of their own", async (t) => {
  const { team, post, end, usageOf, durable } = await countedServer(t, {}, { disabled: true });
  const before = { keyless: await usageOf(keylessTenant), visitors: await usageOf(visitorsTenant) };
  await post("/verify", vectors, { "x-request-id": "revoked" });
  await post("/verify", vectors, { "x-api-key": "guessed" });
  await post("/verify", vectors, { "x-api-key": "" });
  await post("/tester/verify", vectors, { "sec-fetch-site": "same-origin" });
  await post("/tester/verify", vectors, { "sec-fetch-site": "cross-site" });
  await end();
  assert.deepEqual(await usageOf(team), [verify("key_disabled")]);
  const [errors] = await readRecentErrors(durable, team);
  assert.equal(errors!.newest[0]!.keyId, testKeyRecord.key.id, "who has the key is worth to know");
  assert.deepEqual(added(await usageOf(keylessTenant), before.keyless), [
    verify("invalid_api_key"),
    verify("missing_api_key"),
  ]);
  assert.deepEqual(added(await usageOf(visitorsTenant), before.visitors), [
    verify("invalid_request"),
    verify("ok"),
  ]);
});

test("while the durable Redis is away calls are kept, and a write whose response was lost counts once", async (t) => {
  const { proxy, url: behindProxy } = await SwallowingProxy.before(url);
  t.after(() => proxy[Symbol.asyncDispose]());
  const { team, post, usageOf, kept } = await countedServer(t, {}, { url: behindProxy, everyMs: 100 });
  // The server runs the write, and its response is lost.
  proxy.swallowReplies();
  for (let i = 0; i < 3; i++) await post("/verify", vectors);
  await waitUntil("the write arrives", async () => (await usageOf(team)).length > 0);
  await waitUntil("its response is missed", async () => kept.length > 0);
  await post("/compare", { model_name: "SFace", vector: [1, 0], candidates: [[1, 0]] });
  proxy.resume();
  await waitUntil("the rest is written", async () => (await usageOf(team)).length > 1);
  assert.deepEqual(await usageOf(team), [{ endpoint: "/compare", outcome: "ok", calls: 1 }, verify("ok", 3)]);
});

test("what cannot be written at the end is said, with the number of calls", async (t) => {
  const { post, connection, end, lost } = await countedServer(t);
  await post("/verify", vectors);
  await post("/verify", vectors);
  connection.disconnect();
  await end();
  assert.deepEqual(lost, [2]);
});

/** A server whose calls are counted in the real Redis, with one team and its key. */
async function countedServer(t: TestContext, ports: Partial<Ports> = {}, options: ServerOptions = {}) {
  const { disabled = false, everyMs = 600_000 } = options;
  const durable = await connect(t, url);
  const connection = await connect(t, options.url ?? url);
  const [team, key] = [`team-${randomUUID()}`, randomUUID()];
  const digest = createHash("sha256").update(key).digest("hex");
  const record = { ...testKeyRecord, key: { ...testKeyRecord.key, team, disabled } };
  const kept: string[] = [];
  const lost: unknown[] = [];
  const counter = openUsageCounter({
    durable: connection,
    ingress: `ingress-${randomUUID()}`,
    everyMs,
    log: { warn: ({ reason, calls }) => void (reason === "the end" ? lost.push(calls) : kept.push(reason)) },
    metrics: metricsOff,
  });
  let sent = 0;
  let ended = 0;
  const { app } = testServer(t, {
    findKey: async (sha256) => (sha256 === digest ? record : null),
    recordCall(call) {
      counter.count(call);
      ended++;
    },
    ...ports,
  });
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  const post = async (path: string, body: object | string, headers: Record<string, string> = {}) => {
    if (path !== "/made-up") sent++;
    const response = await fetch(`${address}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    const replied: unknown = await response.json();
    await waitUntil("the call has ended", async () => ended === sent);
    return replied;
  };
  const end = () => counter[Symbol.asyncDispose]();
  t.after(end);
  const usageOf = async (of: string): Promise<UsageCount[]> => {
    const [today] = await readUsage(durable, of, [day]);
    return today!.counts.toSorted(byName);
  };
  return { team, post, end, usageOf, durable, connection, kept, lost };
}

async function connect(t: TestContext, url: string) {
  const redis = await connectRedis("REDIS_DURABLE_URL", url, 500);
  t.after(() => redis[Symbol.asyncDispose]());
  return redis;
}

/** Increase of counts that other tests write, too. */
const added = (after: UsageCount[], before: UsageCount[]): UsageCount[] =>
  after.flatMap((count) => {
    const earlier = before.find((each) => nameOf(each) === nameOf(count))?.calls ?? 0;
    return count.calls > earlier ? [{ ...count, calls: count.calls - earlier }] : [];
  });

const nameOf = ({ endpoint, outcome }: UsageCount): string => `${endpoint} ${outcome}`;

const byName = (a: UsageCount, b: UsageCount): number => nameOf(a).localeCompare(nameOf(b));

type ServerOptions = { disabled?: boolean; url?: string; everyMs?: number };
