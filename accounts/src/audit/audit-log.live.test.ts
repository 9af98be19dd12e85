import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { auditKey } from "@faceline/contracts/wire/names";
import { durable } from "../../testing/durable.ts";
import { AuditAction, AuditId, commandActor, forgetInAudit, listAudit, recordAudit } from "./audit-log.ts";

test("the newest entries come first, and further ones after the last that was seen", async (t) => {
  const { redis } = await emptyLog(t);
  for (const on of ["a", "b", "c"]) await recordAudit(redis, commandActor, "limits_set", on);
  const [third, second] = await listAudit(redis, { count: 2 });
  assert.deepEqual([third?.on, second?.on], ["c", "b"]);
  const older = await listAudit(redis, { count: 2, before: second!.id });
  assert.deepEqual(
    older.map(({ by, action, on, requestId }) => [by, action, on, requestId]),
    [["command", "limits_set", "a", null]],
  );
  assert.ok(AuditId.safeParse(third?.id).success);
});

test("an entry says what changed; one without readable details has the rest", async (t) => {
  const { redis } = await emptyLog(t);
  const details = { limits: { before: { inFlightMax: 2 }, after: {} } };
  const ids = [
    await redis.xadd(auditKey, "*", "by", "command", "action", "limits_set", "on", "older"),
    await redis.xadd(auditKey, "*", "by", "command", "action", "limits_set", "on", "odd", "details", "{"),
  ];
  await recordAudit(redis, commandActor, "limits_set", "ants", details);
  const entries = await listAudit(redis, { count: 3 });
  assert.deepEqual(
    entries.map((entry) => [entry.on, entry.details]),
    [
      ["ants", details],
      ["odd", {}],
      ["older", {}],
    ],
  );
  assert.equal(entries.at(-1)!.id, ids[0]);
});

test("what is no id, team, model or limit does not get into the log", async (t) => {
  const { redis } = await emptyLog(t);
  const written = { team: "ants", name: "<written by somebody>" };
  await recordAudit(redis, commandActor, "key_created", "k1", written);
  assert.deepEqual((await listAudit(redis, { count: 1 }))[0]!.details, { team: "ants" });
  const wrong = recordAudit(redis, commandActor, "key_created", "k1", { team: "ada@example.test" });
  await assert.rejects(wrong, { name: "ZodError" });
});

test("an entry of an action that is unknown here is left out", async (t) => {
  const { redis } = await emptyLog(t);
  await redis.xadd(auditKey, "*", "by", "command", "action", "moon_landed", "on", "x");
  assert.deepEqual(await listAudit(redis, { count: 2 }), []);
  assert.ok(AuditAction.options.length > 0);
});

test("the log has the last 10,000 changes, and not one more", async (t) => {
  const { redis } = await emptyLog(t);
  const filling = redis.pipeline();
  for (let i = 0; i < 10_050; i++) {
    filling.xadd(auditKey, "*", "by", "command", "action", "limits_set", "on", "ants");
  }
  await filling.exec();
  await recordAudit(redis, commandActor, "limits_set", "bees");
  assert.equal(await redis.xlen(auditKey), 10_000);
});

test("a forgotten person stands in no entry; ids, order and the others stay", async (t) => {
  const { redis, email } = await emptyLog(t);
  const [ada, bob] = [email("ada"), email("bob")];
  await recordAudit(redis, commandActor, "waitlist_approved", ada);
  await recordAudit(redis, { by: ada, requestId: "r1" }, "key_created", "k1");
  await recordAudit(redis, { by: bob, requestId: "r2" }, "signed_in", bob);
  const before = await listAudit(redis, { count: 9 });
  await forgetInAudit(redis, ada);
  const after = await listAudit(redis, { count: 9 });
  assert.deepEqual(
    after.map(({ id, at, requestId }) => [id, at, requestId]),
    before.map(({ id, at, requestId }) => [id, at, requestId]),
  );
  assert.deepEqual(
    after.map(({ by, on }) => [by, on]),
    [
      [bob, bob],
      ["forgotten", "k1"],
      ["command", "forgotten"],
    ],
  );
});

test("an entry that is added while a person is forgotten is not lost", async (t) => {
  const { redis, email } = await emptyLog(t);
  const { redis: other } = await durable(t);
  const ada = email("ada");
  await recordAudit(redis, commandActor, "waitlist_approved", ada);
  const read = redis.xrange.bind(redis);
  let reads = 0;
  t.mock.method(redis, "xrange", async (...args: Parameters<typeof read>) => {
    const entries = await read(...args);
    if (reads++ === 0) await recordAudit(other, commandActor, "limits_set", "meanwhile");
    return entries;
  });
  await forgetInAudit(redis, ada);
  assert.equal(reads, 2);
  const entries = await listAudit(redis, { count: 9 });
  assert.deepEqual(
    entries.map(({ on }) => on),
    ["meanwhile", "forgotten"],
  );
});

async function emptyLog(t: TestContext) {
  const fixture = await durable(t);
  await fixture.redis.del(auditKey);
  t.after(() => fixture.redis.del(auditKey));
  return fixture;
}
