import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import { sessionKey, sessionsKey } from "@faceline/contracts/wire/names";
import { durable } from "../../testing/durable.ts";
import { storePerson } from "./person.ts";
import {
  endSession,
  endSessions,
  findSession,
  listSessions,
  SessionRecord,
  sessionDaysMax,
  sessionsMax,
  storeSession,
  touchSession,
} from "./sessions.ts";

test("a session is found by its id, with what the session library added, until it ends", async (t) => {
  const { redis, ada } = await withPerson(t);
  const [id, other] = [randomUUID(), randomUUID()];
  const session = SessionRecord.parse({
    email: ada,
    createdAt: Date.now(),
    seenAt: 2,
    cookie: { path: "/" },
  });
  assert.equal(await storeSession(redis, id, session, 30), true);
  assert.deepEqual(await findSession(redis, id), session);
  assert.equal(await findSession(redis, other), null);
  await endSession(redis, id);
  await endSession(redis, other);
  assert.equal(await findSession(redis, id), null);
  assert.deepEqual(await listSessions(redis, ada), []);
});

test("all sessions of a person end together", async (t) => {
  const { redis, ada } = await withPerson(t);
  const ids = [randomUUID(), randomUUID()];
  for (const [i, id] of ids.entries())
    await storeSession(redis, id, { email: ada, createdAt: Date.now(), seenAt: i + 1 }, 30);
  assert.deepEqual(
    (await listSessions(redis, ada)).map(({ seenAt }) => seenAt),
    [2, 1],
  );
  assert.equal(await endSessions(redis, ada), 2);
  for (const id of ids) assert.equal(await findSession(redis, id), null);
  assert.equal(await endSessions(redis, ada), 0);
});

test("a session that is used lives on, and one that was ended meanwhile does not come back", async (t) => {
  const { redis, ada } = await withPerson(t);
  const id = randomUUID();
  const session = { email: ada, createdAt: Date.now(), seenAt: 1 };
  await storeSession(redis, id, session, 1);
  await touchSession(redis, id, { ...session, seenAt: 2 }, 30);
  assert.equal((await findSession(redis, id))!.seenAt, 2);
  assert.ok((await redis.ttl(sessionsKey(ada))) > 29 * 86_400);
  await endSession(redis, id);
  await touchSession(redis, id, { ...session, seenAt: 3 }, 30);
  assert.equal(await findSession(redis, id), null);
});

test("a session ends 90 days after its sign-in, however often it is used", async (t) => {
  const { redis, ada } = await withPerson(t);
  const id = randomUUID();
  const daysAgo = (days: number) => Date.now() - days * 86_400_000;
  const session = { email: ada, createdAt: daysAgo(sessionDaysMax - 2), seenAt: daysAgo(1) };
  assert.equal(await storeSession(redis, id, session, 30), true);
  const [key] = (await redis.smembers(sessionsKey(ada))).map(sessionKey);
  for (const touched of [false, true]) {
    if (touched) await touchSession(redis, id, { ...session, seenAt: Date.now() }, 30);
    const days = (await redis.ttl(key!)) / 86_400;
    assert.ok(days > 1 && days <= 2, `touched: ${touched}, ${days} days`);
  }
  // A release without the end may have stored it for longer.
  const old = { ...session, createdAt: daysAgo(sessionDaysMax) };
  await redis.set(key!, JSON.stringify(old), "EX", 86_400);
  assert.equal(await findSession(redis, id), null);
  await touchSession(redis, id, { ...old, seenAt: Date.now() }, 30);
  assert.equal(await redis.exists(key!), 0);
  assert.equal(await storeSession(redis, id, old, 30), false);
});

test("a session that begins while all are ended can be ended, at whatever command that was", async (t) => {
  const { redis, ada } = await withPerson(t);
  // Behind each command all sessions are ended, before the next one is sent.
  const interrupted = new Proxy(redis, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const result: unknown = value.apply(target, args);
        if (!(result instanceof Promise)) return result;
        return result.then(async (response: unknown) => {
          await endSessions(redis, ada);
          return response;
        });
      };
    },
  });
  const id = randomUUID();
  await storeSession(interrupted, id, { email: ada, createdAt: Date.now(), seenAt: 1 }, 30);
  await endSessions(redis, ada);
  assert.equal(await findSession(redis, id), null);
});

test("beyond the number of sessions of a person, the one not seen for longest ends", async (t) => {
  const { redis, ada } = await withPerson(t);
  const ids = Array.from({ length: sessionsMax + 2 }, () => randomUUID());
  for (const [i, id] of ids.entries())
    await storeSession(redis, id, { email: ada, createdAt: Date.now(), seenAt: i + 1 }, 30);
  assert.equal((await listSessions(redis, ada)).length, sessionsMax);
  assert.deepEqual([await findSession(redis, ids[0]!), await findSession(redis, ids[1]!)], [null, null]);
  assert.notEqual(await findSession(redis, ids[2]!), null);
});

test("nobody who was removed gets a session", async (t) => {
  const { redis, email } = await withPerson(t);
  const id = randomUUID();
  const session = { email: email("gone"), createdAt: Date.now(), seenAt: 1 };
  assert.equal(await storeSession(redis, id, session, 30), false);
  assert.equal(await findSession(redis, id), null);
  assert.equal(await redis.exists(sessionsKey(session.email)), 0);
});

async function withPerson(t: TestContext) {
  const { redis, email } = await durable(t);
  const ada = email("ada");
  await storePerson(redis, { email: ada, team: "ants", role: "member", createdAt: 1 });
  return { redis, email, ada };
}
