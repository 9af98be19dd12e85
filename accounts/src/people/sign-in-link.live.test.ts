import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test, { type TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { RedisConnection } from "@faceline/runtime/redis";
import { personKey, signInKey, signInsKey } from "@faceline/contracts/wire/names";
import { durable } from "../../testing/durable.ts";
import { storePerson } from "./person.ts";
import {
  cancelLinks,
  consumeSignInToken,
  findSignInToken,
  issueSignInToken,
  listOpenLinks,
  openLinksMax,
  signInLink,
} from "./sign-in-link.ts";

test("a token signs in once; looking at it consumes nothing, however often", async (t) => {
  const { redis, ada } = await withPerson(t);
  const token = await issueSignInToken(redis, ada, { hours: 1 });
  assert.match(token ?? "", /^[\w-]{43}$/);
  for (let views = 0; views < 3; views++) {
    assert.equal((await findSignInToken(redis, token!))?.email, ada);
  }
  assert.equal((await consumeSignInToken(redis, token!))?.email, ada);
  assert.equal(await findSignInToken(redis, token!), null);
  assert.equal(await consumeSignInToken(redis, token!), null);
});

test("the server holds the SHA-256 of a token, with its end, and never the token", async (t) => {
  const { redis, ada } = await withPerson(t);
  const token = await issueSignInToken(redis, ada, { hours: 2 });
  const key = signInKey(createHash("sha256").update(token!).digest("hex"));
  const seconds = await redis.ttl(key);
  assert.ok(seconds > 7_100 && seconds <= 7_200, `${seconds}`);
  assert.ok(!(await redis.get(key))?.includes(token!));
  await redis.expire(key, 0);
  assert.equal(await consumeSignInToken(redis, token!), null);
});

test("a token of somebody who was removed signs nobody in, and none is issued for them", async (t) => {
  const { redis, ada } = await withPerson(t);
  const token = await issueSignInToken(redis, ada, { hours: 1 });
  await redis.del(personKey(ada));
  assert.equal(await consumeSignInToken(redis, token!), null);
  assert.equal(await issueSignInToken(redis, ada, { hours: 1 }), null);
});

test("the open addresses of one person are listed with their ends and cancelled; those of others stay", async (t) => {
  const { redis, ada, email } = await withPerson(t);
  const bob = email("bob");
  await storePerson(redis, { email: bob, team: "ants", role: "member", createdAt: 1 });
  const [used, ...open] = await issueMany(redis, ada, 3);
  const other = await issueSignInToken(redis, bob, { hours: 1 });
  await consumeSignInToken(redis, used!);
  const listed = await listOpenLinks(redis, ada);
  assert.deepEqual(
    listed.map(({ createdAt, expiresAt }) => expiresAt - createdAt),
    [3_600_000, 3_600_000],
  );
  assert.ok(listed[0]!.createdAt >= listed[1]!.createdAt);
  assert.equal(await cancelLinks(redis, ada), 2);
  for (const token of open) assert.equal(await findSignInToken(redis, token), null);
  assert.deepEqual(await listOpenLinks(redis, ada), []);
  assert.equal(await redis.exists(signInsKey(ada)), 0);
  assert.equal((await findSignInToken(redis, other!))?.email, bob);
});

test("beyond the number of open addresses of a person, the one that was made first is cancelled", async (t) => {
  const { redis, ada } = await withPerson(t);
  const [first, ...others] = await issueMany(redis, ada, openLinksMax + 1);
  assert.equal(await findSignInToken(redis, first!), null);
  assert.equal((await listOpenLinks(redis, ada)).length, openLinksMax);
  for (const token of others) assert.equal((await findSignInToken(redis, token))?.email, ada);
});

test("an address that replaces the others leaves none of them open", async (t) => {
  const { redis, ada } = await withPerson(t);
  const earlier = await issueMany(redis, ada, 3);
  const token = await issueSignInToken(redis, ada, { hours: 1, replaces: true });
  for (const each of earlier) assert.equal(await findSignInToken(redis, each), null);
  assert.equal((await findSignInToken(redis, token!))?.email, ada);
  assert.equal((await listOpenLinks(redis, ada)).length, 1);
});

test("an address that is listed while it is stored stays in the list", async (t) => {
  const { redis, ada } = await withPerson(t);
  const work = Array.from({ length: 8 }, () => [
    issueSignInToken(redis, ada, { hours: 1 }),
    listOpenLinks(redis, ada),
  ]);
  await Promise.all(work.flat());
  assert.equal((await listOpenLinks(redis, ada)).length, 8);
});

test("what is no token is not looked up", async (t) => {
  const { redis } = await withPerson(t);
  for (const text of ["", "../x", "a".repeat(42), `${"a".repeat(43)}\n`]) {
    assert.equal(await consumeSignInToken(redis, text), null);
    assert.equal(await findSignInToken(redis, text), null);
  }
});

test("the address is below where the pages are served", () => {
  assert.equal(signInLink("https://faces.example/", "abc"), "https://faces.example/sign-in/abc");
});

/** Tokens of a person, made a millisecond apart. */
async function issueMany(redis: RedisConnection, email: string, count: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let i = 0; i < count; i++) {
    const before = Date.now();
    tokens.push((await issueSignInToken(redis, email, { hours: 1 }))!);
    while (Date.now() === before) await nextTurn();
  }
  return tokens;
}

async function withPerson(t: TestContext) {
  const { redis, email } = await durable(t);
  const ada = email("ada");
  await storePerson(redis, { email: ada, team: "ants", role: "member", createdAt: 1 });
  return { redis, email, ada };
}
