import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { RedisConnection } from "@faceline/runtime/redis";
import { waitlistKey } from "@faceline/contracts/wire/names";
import { durable } from "../../testing/durable.ts";
import { commandActor } from "../audit/audit-log.ts";
import { forget } from "./forget.ts";
import { joinWaitlist, leaveWaitlist, listWaitlist, waitlistEntriesMax } from "./waitlist.ts";

test("people wait in the order in which they joined, with what they wrote", async (t) => {
  const { redis, email } = await emptyWaitlist(t);
  const [ada, bob] = [email("ada"), email("bob")];
  assert.equal(await joinWaitlist(redis, { email: bob, text: "" }, 2_000), "joined");
  assert.equal(await joinWaitlist(redis, { email: ada, text: "Two sites." }, 1_000), "joined");
  assert.deepEqual(await listWaitlist(redis), [
    { email: ada, text: "Two sites.", joinedAt: 1_000 },
    { email: bob, text: "", joinedAt: 2_000 },
  ]);
  assert.deepEqual([await leaveWaitlist(redis, bob), await leaveWaitlist(redis, bob)], [1, 0]);
});

test("whoever joins again gets the same answer; the first text and the newest one stay", async (t) => {
  const { redis, email } = await emptyWaitlist(t);
  const ada = email("ada");
  const answers: string[] = [];
  for (const [text, at] of [
    ["first", 1_000],
    ["of somebody else", 2_000],
    ["corrected", 3_000],
  ] as const) {
    answers.push(await joinWaitlist(redis, { email: ada, text }, at));
  }
  assert.deepEqual(answers, ["joined", "joined", "joined"]);
  assert.deepEqual(await listWaitlist(redis), [
    { email: ada, text: "corrected", joinedAt: 1_000, firstText: "first", sentAgainAt: 3_000 },
  ]);
});

test("joining takes the same commands for an address that waits and for a new one", async (t) => {
  const { redis, email } = await emptyWaitlist(t);
  const ada = email("ada");
  // So that the server knows the script.
  await joinWaitlist(redis, { email: email("bob"), text: "" });
  const commands: string[] = [];
  redis.onCommandEnd = (name) => void commands.push(name);
  await joinWaitlist(redis, { email: ada, text: "" });
  const first = commands.splice(0);
  await joinWaitlist(redis, { email: ada, text: "" });
  assert.deepEqual(commands, first);
  assert.deepEqual(first.toSorted(), ["evalsha"]);
});

test("forms that come at the same time do not exceed the number of entries", async (t) => {
  const { redis, email } = await emptyWaitlist(t);
  await fill(redis, waitlistEntriesMax - 5, () => ({}));
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, i) => joinWaitlist(redis, { email: email(`p${i}`), text: "" })),
  );
  assert.equal(answers.filter((answer) => answer === "joined").length, 5);
  assert.equal(await redis.hlen(waitlistKey), waitlistEntriesMax);
});

test("a form that is sent again while the person is forgotten does not bring back what they wrote", async (t) => {
  const { redis, email } = await emptyWaitlist(t);
  const ada = email("ada");
  await joinWaitlist(redis, { email: ada, text: "a secret" });
  const again = () => joinWaitlist(redis, { email: ada, text: "again" });
  await Promise.all([forget(redis, ada, commandActor), again()]);
  assert.doesNotMatch((await redis.hget(waitlistKey, ada)) ?? "", /a secret/);
});

test("who fills the list from some networks does not close it, and pushes out nobody of another one", async (t) => {
  const { redis, email } = await emptyWaitlist(t);
  const ada = email("ada");
  const forged = '","network":"10.0.7.0/24","joinedAt":1}';
  await joinWaitlist(redis, { email: ada, text: forged, network: "192.0.2.0/24" }, now);
  await joinWaitlist(redis, { email: ada, text: forged, network: "10.0.7.0/24" }, now);
  // What decides is at the beginning, as it is.
  const stored = (await redis.hget(waitlistKey, ada)) ?? "";
  assert.ok(stored.startsWith(`{"joinedAt":${now},"network":"192.0.2.0/24",`), stored);
  await fill(redis, waitlistEntriesMax - 1, (i) => ({
    joinedAt: now + i,
    network: `10.0.${i % 40}.0/24`,
  }));
  const join = (name: string, network: string) =>
    joinWaitlist(redis, { email: email(name), text: "", network }, now + 5_000);
  assert.equal(await join("more of the flood", "10.0.7.0/24"), "full");
  for (let i = 0; i < 20; i++) assert.equal(await join(`person ${i}`, `198.51.${i}.0/24`), "joined");
  const waiting = await listWaitlist(redis);
  assert.equal(waiting.length, waitlistEntriesMax);
  assert.equal(waiting.filter(({ network }) => network?.startsWith("10.0.")).length, 1_979);
  assert.ok(waiting.some((entry) => entry.email === ada));
  // The newest of the flood have left.
  assert.ok(waiting.some(({ joinedAt }) => joinedAt === now));
  assert.ok(!waiting.some(({ joinedAt }) => joinedAt === now + waitlistEntriesMax - 2));
});

test("a full list answers those who are on it as it answers newcomers, and takes nobody off for them", async (t) => {
  const { redis, email } = await emptyWaitlist(t);
  const [ada, eve] = [email("ada"), email("eve")];
  await fill(redis, waitlistEntriesMax - 1, () => ({ joinedAt: now, network: "10.0.0.0/24" }));
  await joinWaitlist(redis, { email: ada, text: "", network: "192.0.2.0/24" }, now);
  const again = { email: ada, text: "again", network: "10.0.0.0/24" };
  assert.equal(await joinWaitlist(redis, again, now), "full");
  assert.equal(await joinWaitlist(redis, { ...again, email: eve }, now), "full");
  assert.equal(await joinWaitlist(redis, { ...again, network: "198.51.100.0/24" }, now), "joined");
  const waiting = await listWaitlist(redis);
  const own = waiting.find((entry) => entry.email === ada);
  assert.deepEqual([own?.text, own?.network, waiting.length], ["again", "192.0.2.0/24", waitlistEntriesMax]);
});

test("a list of as many networks as entries takes nobody, until the oldest has waited for 30 days", async (t) => {
  const { redis, email } = await emptyWaitlist(t);
  const eve = { email: email("eve"), text: "", network: "192.0.2.0/24" };
  await fill(redis, waitlistEntriesMax, (i) => ({
    joinedAt: now + i,
    network: `10.${i >> 8}.${i & 255}.0/24`,
  }));
  const dayMs = 86_400_000;
  assert.equal(await joinWaitlist(redis, eve, now + 30 * dayMs), "full");
  assert.equal(await joinWaitlist(redis, eve, now + 30 * dayMs + 1), "joined");
  const [oldest] = await listWaitlist(redis);
  assert.equal(oldest?.joinedAt, now + 1);
});

test("a mail domain with half of a full list makes room among its own entries", async (t) => {
  const { redis } = await emptyWaitlist(t);
  const half = waitlistEntriesMax / 2;
  await fill(redis, half, (i) => ({ joinedAt: now, network: `10.0.${i % 50}.0/24` }), "mail.test");
  await fill(redis, half, () => ({ joinedAt: now + 9, network: "192.0.2.0/24" }), "others.test");
  const ofDomain = async (domain: string) =>
    (await listWaitlist(redis)).filter(({ email }) => email.endsWith(`@${domain}`)).length;
  const join = (domain: string) =>
    joinWaitlist(redis, { email: `eve@${domain}`, text: "", network: "203.0.113.0/24" }, now);
  assert.equal(await join("mail.test"), "joined");
  assert.deepEqual([await ofDomain("mail.test"), await ofDomain("others.test")], [half, half]);
  assert.equal(await join("new.test"), "joined");
  assert.equal(await ofDomain("others.test"), half - 1);
});

const now = 1_800_000_000_000;

/** Stores entries beside those that are there. */
async function fill(
  redis: RedisConnection,
  count: number,
  entry: (i: number) => object,
  domain = "flood.test",
) {
  const entries = Array.from({ length: count }, (_, i) => [
    `${i}@${domain}`,
    JSON.stringify({ ...entry(i), text: "" }),
  ]);
  await redis.hset(waitlistKey, Object.fromEntries(entries));
}

/** The waitlist of the test's server without entries, before and after the test. */
async function emptyWaitlist(t: TestContext) {
  const { redis, email } = await durable(t);
  await redis.del(waitlistKey);
  t.after(() => redis.del(waitlistKey));
  return { redis, email };
}
