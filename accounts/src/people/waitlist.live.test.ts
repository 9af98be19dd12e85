import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { waitlistKey } from "@faceline/contracts/wire/names";
import { durable } from "../../testing/durable.ts";
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
  assert.deepEqual([await leaveWaitlist(redis, bob), await leaveWaitlist(redis, bob)], [true, false]);
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
  const commands: string[] = [];
  redis.onCommandEnd = (name) => void commands.push(name);
  await joinWaitlist(redis, { email: ada, text: "" });
  const first = commands.splice(0);
  await joinWaitlist(redis, { email: ada, text: "" });
  assert.deepEqual(commands, first);
  assert.deepEqual(first.toSorted(), ["hget", "hlen", "hset"]);
});

test("a full waitlist takes nobody, and says so to those who are on it, too", async (t) => {
  const { redis, email } = await emptyWaitlist(t);
  const ada = email("ada");
  await joinWaitlist(redis, { email: ada, text: "" });
  const others = Array.from({ length: waitlistEntriesMax - 1 }, (_, i) => [email(`p${i}`), "{}"]);
  await redis.hset(waitlistKey, Object.fromEntries(others));
  for (const each of [ada, email("eve")]) {
    assert.equal(await joinWaitlist(redis, { email: each, text: "" }), "full");
  }
  assert.equal(await redis.hlen(waitlistKey), waitlistEntriesMax);
});

/** The waitlist of the test's server without entries, before and after the test. */
async function emptyWaitlist(t: TestContext) {
  const { redis, email } = await durable(t);
  await redis.del(waitlistKey);
  t.after(() => redis.del(waitlistKey));
  return { redis, email };
}
