import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import test from "node:test";
import type { RedisConnection } from "@faceline/runtime/redis";
import { declinedKey } from "@faceline/contracts/wire/names";
import { durable } from "../../testing/durable.ts";
import { commandActor, listAudit, recordAudit } from "../audit/audit-log.ts";
import { listTeamKeys } from "../keys/team-index.ts";
import { createTeamKey } from "../keys/team-keys.ts";
import { rewriteAppendOnlyFile } from "./append-only-file.ts";
import { approve, issueForPerson, makeOperator } from "./approval.ts";
import { forget } from "./forget.ts";
import { storeSession } from "./sessions.ts";
import { joinWaitlist } from "./waitlist.ts";

test("a forgotten person is in no key of the server, and not in its file once that is rewritten", async (t) => {
  const { redis, team, email } = await durable(t);
  const ada = email("ada");
  const bob = email("bob");
  const file = await plainFile(redis);
  for (const each of [ada, bob]) {
    await approve(redis, { email: each, team }, { by: ada, requestId: "r1" });
    await makeOperator(redis, { email: each }, commandActor);
    await issueForPerson(redis, { email: each, hours: 1 }, commandActor);
    await storeSession(redis, `id-${each}`, { email: each, createdAt: Date.now(), seenAt: 1 }, 30);
    await createTeamKey(redis, { team, name: each.slice(0, 64) }, { by: each, requestId: "r2" });
    await joinWaitlist(redis, { email: each, text: `I am ${each}` });
    await redis.set(declinedKey(each), 1);
  }
  await recordAudit(redis, { by: ada, requestId: "r3" }, "sign_in_address_made", bob);
  // The search finds what is there.
  assert.equal(await rewriteAppendOnlyFile(redis), "rewritten");
  assert.ok((await keysWith(redis, ada)).length >= 8);
  assert.ok(file().includes(ada));

  assert.deepEqual(await forget(redis, ada, commandActor), { found: true, team });
  assert.deepEqual(await keysWith(redis, ada), []);
  assert.ok(file().includes(ada), "the file still has the commands that stored it");
  assert.equal(await rewriteAppendOnlyFile(redis), "rewritten");
  assert.ok(!file().includes(ada));
  assert.ok(file().includes(bob), "the others stay");
  assert.equal((await listTeamKeys(redis, team)).length, 2, "the keys of the team stay");
  assert.deepEqual(await forget(redis, ada, commandActor), { found: false, team: null });
});

test("nothing is logged of an email that nothing is stored of; a mark or a line of the log is something", async (t) => {
  const { redis, email } = await durable(t);
  const entries = async () => (await listAudit(redis, { count: 1 }))[0]?.id;
  const before = await entries();
  const nobody = { found: false, team: null };
  assert.deepEqual(await forget(redis, email("eve"), commandActor), nobody);
  assert.equal(await entries(), before);

  const declined = email("declined");
  await redis.set(declinedKey(declined), 1);
  assert.equal((await forget(redis, declined, commandActor)).found, true);
  const logged = email("logged");
  await recordAudit(redis, commandActor, "waitlist_declined", logged);
  assert.equal((await forget(redis, logged, commandActor)).found, true);
  assert.deepEqual(await forget(redis, logged, commandActor), nobody);
});

/** Reads the server's file, which is plain text. */
async function plainFile(redis: RedisConnection): Promise<() => string> {
  const setting = async (name: string) => (await redis.config("GET", name))[1] ?? "";
  const folder = join(await setting("dir"), await setting("appenddirname"));
  const file = join(folder, await setting("appendfilename"));
  // Since 7.0 it is in parts, which a manifest names; those of type h are about to be removed.
  const parts = () =>
    existsSync(`${file}.manifest`)
      ? [...readFileSync(`${file}.manifest`, "utf8").matchAll(/^file (\S+) .*type [bi]$/gm)].map(
          ([, name]) => name!,
        )
      : [basename(file)];
  assert.ok(
    parts().every((name) => existsSync(join(folder, name))),
    "the durable Redis of a test run is on this machine, and has a file",
  );
  return () =>
    parts()
      .map((name) => readFileSync(join(folder, name), "latin1"))
      .join("");
}

/** The keys whose name or value has the text. */
async function keysWith(redis: RedisConnection, text: string): Promise<string[]> {
  const keys = await redis.keys("*");
  const values = await Promise.all(keys.map((key) => valueOf(redis, key)));
  return keys.filter((key, i) => key.includes(text) || JSON.stringify(values[i]).includes(text));
}

async function valueOf(redis: RedisConnection, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case "string":
      return redis.get(key);
    case "hash":
      return redis.hgetall(key);
    case "set":
      return redis.smembers(key);
    case "list":
      return redis.lrange(key, 0, -1);
    case "stream":
      return redis.xrange(key, "-", "+");
    case "none":
      return "";
    default:
      throw new Error(`the search does not read ${key}`);
  }
}
