import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test, { type TestContext } from "node:test";
import { personKey, signInKey } from "@faceline/contracts/wire/names";
import { durable } from "../../testing/durable.ts";
import { storePerson } from "./person.ts";
import {
  consumeSignInToken,
  findSignInToken,
  issueSignInToken,
  removeSignInTokens,
  signInAddress,
} from "./sign-in-address.ts";

test("a token signs in once; looking at it consumes nothing, however often", async (t) => {
  const { redis, ada } = await withPerson(t);
  const token = await issueSignInToken(redis, ada, 1);
  assert.match(token ?? "", /^[\w-]{43}$/);
  for (let views = 0; views < 3; views++) {
    assert.equal((await findSignInToken(redis, token!))?.email, ada);
  }
  assert.equal((await consumeSignInToken(redis, token!))?.email, ada);
  assert.equal(await findSignInToken(redis, token!), null);
  assert.equal(await consumeSignInToken(redis, token!), null);
});

test("of two that use a token at once one is signed in", async (t) => {
  const { redis, ada } = await withPerson(t);
  const token = await issueSignInToken(redis, ada, 1);
  const results = await Promise.all(Array.from({ length: 8 }, () => consumeSignInToken(redis, token!)));
  assert.equal(results.filter((person) => person !== null).length, 1);
});

test("the server holds the SHA-256 of a token, with its end, and never the token", async (t) => {
  const { redis, ada } = await withPerson(t);
  const token = await issueSignInToken(redis, ada, 2);
  const key = signInKey(createHash("sha256").update(token!).digest("hex"));
  const seconds = await redis.ttl(key);
  assert.ok(seconds > 7_100 && seconds <= 7_200, `${seconds}`);
  assert.ok(!(await redis.get(key))?.includes(token!));
  await redis.expire(key, 0);
  assert.equal(await consumeSignInToken(redis, token!), null);
});

test("a token of somebody who was removed signs nobody in, and none is issued for them", async (t) => {
  const { redis, ada } = await withPerson(t);
  const token = await issueSignInToken(redis, ada, 1);
  await redis.del(personKey(ada));
  assert.equal(await consumeSignInToken(redis, token!), null);
  assert.equal(await issueSignInToken(redis, ada, 1), null);
});

test("the unused tokens of one person can be removed, and those of others stay", async (t) => {
  const { redis, ada, email } = await withPerson(t);
  const bob = email("bob");
  await storePerson(redis, { email: bob, team: "ants", role: "member", createdAt: 1 });
  const tokens = [await issueSignInToken(redis, ada, 1), await issueSignInToken(redis, ada, 1)];
  const other = await issueSignInToken(redis, bob, 1);
  await removeSignInTokens(redis, ada);
  for (const token of tokens) assert.equal(await findSignInToken(redis, token!), null);
  assert.equal((await findSignInToken(redis, other!))?.email, bob);
});

test("what is no token is not looked up", async (t) => {
  const { redis } = await withPerson(t);
  for (const text of ["", "../x", "a".repeat(42), `${"a".repeat(43)}\n`]) {
    assert.equal(await consumeSignInToken(redis, text), null);
    assert.equal(await findSignInToken(redis, text), null);
  }
});

test("the address is below where the pages are served", () => {
  assert.equal(signInAddress("https://faces.example/", "abc"), "https://faces.example/sign-in/abc");
});

async function withPerson(t: TestContext) {
  const { redis, email } = await durable(t);
  const ada = email("ada");
  await storePerson(redis, { email: ada, team: "ants", role: "member", createdAt: 1 });
  return { redis, email, ada };
}
