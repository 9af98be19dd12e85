// Covers ./write-usage.ts and ./read-usage.ts.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import { connectRedis } from "@faceline/runtime/redis";
import { recentErrorsKey, usageByTeamKey, usageKey } from "@faceline/contracts/wire/names";
import { type CountedCall, PendingUsage, type UsageBatch } from "./pending-usage.ts";
import { readRecentErrors, readUsage, readUsageByTeam } from "./read-usage.ts";
import { recentErrorsMax } from "./recent-error.ts";
import { allTeams, writeUsage } from "./write-usage.ts";

const url = process.env["REDIS_DURABLE_URL"] ?? "";
/** Days that no other test writes. */
const days = ["1999-12-31", "2000-01-01"];
const [lastDay, firstDay] = [Date.UTC(1999, 11, 31, 12), Date.UTC(2000, 0, 1, 12)];

test("what several ingresses write adds up, by team and for all callers", async (t) => {
  const { durable, ants, bees } = await teams(t);
  const before = await readUsage(durable, allTeams, days);
  const [one, other] = [ingress(), ingress()];
  await writeUsage(
    durable,
    { ingress: one, number: 1 },
    batch([ants, "ok", lastDay], [ants, "ok", firstDay]),
  );
  await writeUsage(
    durable,
    { ingress: other, number: 1 },
    batch([ants, "ok", firstDay], [bees, "ok", lastDay]),
  );
  await writeUsage(
    durable,
    { ingress: one, number: 2 },
    batch(
      [ants, "queue_full", firstDay],
      [ants, "no_face_detected", firstDay],
      [ants, "client_left", firstDay],
    ),
  );
  const verify = (outcome: string, calls: number) => ({ endpoint: "/verify", outcome, calls });
  const [first, second] = await readUsage(durable, ants, days);
  assert.deepEqual(first, { day: days[0], counts: [verify("ok", 1)] });
  assert.deepEqual(second!.counts.toSorted(byOutcome), [
    verify("client_left", 1),
    verify("no_face_detected", 1),
    verify("ok", 2),
    verify("queue_full", 1),
  ]);
  const all = await readUsage(durable, allTeams, days);
  assert.equal(sum(all) - sum(before), 7);
  const byTeam = await readUsageByTeam(durable, days);
  assert.deepEqual(
    byTeam.filter(({ team }) => [ants, bees].includes(team)),
    [
      { team: ants, calls: 6, answered: 3, refused: 1, failed: 1, left: 1 },
      { team: bees, calls: 1, answered: 1, refused: 0, failed: 0, left: 0 },
    ],
  );
});

test("a day of thousands of teams is read in parts, and every team counts once", async (t) => {
  const { durable } = await teams(t);
  const day = "1998-01-01";
  const names = Array.from({ length: 3_000 }, (_, i) => `team-${i}`);
  await durable.hset(usageByTeamKey(day), Object.fromEntries(names.map((name) => [`${name} answered`, 2])));
  const reads = t.mock.method(durable, "hscan");
  const read = await readUsageByTeam(durable, [day]);
  assert.deepEqual([read.length, sum([{ counts: read }])], [3_000, 6_000]);
  assert.ok(reads.mock.callCount() > 1);
  await durable.del(usageByTeamKey(day));
});

test("a write that is repeated counts once, and so do its errors", async (t) => {
  const { durable, ants } = await teams(t);
  const write = { ingress: ingress(), number: 1 };
  const first = batch([ants, "rate_limited", lastDay], [ants, "ok", lastDay]);
  for (let i = 0; i < 3; i++) await writeUsage(durable, write, first);
  await writeUsage(durable, { ...write, number: 2 }, batch([ants, "ok", lastDay]));
  // Late: a later one was written.
  await writeUsage(durable, write, first);
  assert.equal(sum(await readUsage(durable, ants, days)), 3);
  const [errors] = await readRecentErrors(durable, ants);
  assert.deepEqual([errors!.code, errors!.newest.length], ["rate_limited", 1]);
});

test("the newest errors of each code stay, the newest first", async (t) => {
  const { durable, ants } = await teams(t);
  const id = ingress();
  await writeUsage(durable, { ingress: id, number: 1 }, batch([ants, "invalid_image", lastDay]));
  for (let number = 2; number < 7; number++) {
    const calls = Array.from(
      { length: 10 },
      (_, i): Call => [ants, "rate_limited", firstDay + 10 * number + i],
    );
    await writeUsage(durable, { ingress: id, number }, batch(...calls));
  }
  const [newest, older, ...rest] = await readRecentErrors(durable, ants);
  assert.deepEqual([newest!.code, older!.code, rest.length], ["rate_limited", "invalid_image", 0]);
  const instants = newest!.newest.map(({ at }) => at);
  assert.deepEqual(
    instants,
    Array.from({ length: recentErrorsMax }, (_, i) => firstDay + 69 - i),
  );
  assert.match(newest!.newest[0]!.requestId, /^request-/);
});

test("everything expires: counts after 400 days, errors after 30, the number of a write after one", async (t) => {
  const { durable, ants } = await teams(t);
  const id = ingress();
  await writeUsage(durable, { ingress: id, number: 1 }, batch([ants, "queue_full", lastDay]));
  const keys = [
    usageKey(ants, days[0]!),
    usageKey(allTeams, days[0]!),
    `usage-by-team:${days[0]}`,
    recentErrorsKey(ants, "queue_full"),
    `usage-written:${id}`,
  ];
  const ttlDays = await Promise.all(keys.map(async (key) => Math.ceil((await durable.ttl(key)) / 86_400)));
  assert.deepEqual(ttlDays, [400, 400, 400, 30, 1]);
});

test("fields and errors that cannot be read are left out", async (t) => {
  const { durable, ants } = await teams(t);
  await writeUsage(durable, { ingress: ingress(), number: 1 }, batch([ants, "queue_full", lastDay]));
  await durable.hset(usageKey(ants, days[0]!), {
    "/verify of_tomorrow": 1,
    "/verify": 1,
    "/verify ok": "many",
  });
  await durable.lpush(recentErrorsKey(ants, "queue_full"), "{", '{"at":"then"}');
  assert.equal(sum(await readUsage(durable, ants, days)), 1);
  assert.equal((await readRecentErrors(durable, ants))[0]!.newest.length, 1);
});

async function teams(t: TestContext) {
  const durable = await connectRedis("REDIS_DURABLE_URL", url, 1_000);
  t.after(() => durable.disconnect());
  const run = randomUUID();
  return { durable, ants: `ants-${run}`, bees: `bees-${run}` };
}

const ingress = (): string => `ingress-${randomUUID()}`;

function batch(...calls: Call[]): UsageBatch {
  const pending = new PendingUsage({ countersMax: 100 });
  for (const [team, outcome, endedAt] of calls) {
    pending.add({ team, outcome, endedAt, endpoint: "/verify", requestId: `request-${randomUUID()}` });
  }
  return pending.take();
}

const sum = (days: { counts: { calls: number }[] }[]): number =>
  days.flatMap(({ counts }) => counts).reduce((total, { calls }) => total + calls, 0);

const byOutcome = (a: { outcome: string }, b: { outcome: string }): number =>
  a.outcome.localeCompare(b.outcome);

type Call = [team: string, outcome: CountedCall["outcome"], endedAt: number];
