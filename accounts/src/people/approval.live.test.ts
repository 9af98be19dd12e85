import assert from "node:assert/strict";
import test from "node:test";
import { teamLimits } from "@faceline/contracts/runtime/api-keys";
import { declinedKey } from "@faceline/contracts/wire/names";
import { durable } from "../../testing/durable.ts";
import { listAudit } from "../audit/audit-log.ts";
import { declinedShownDays, listApplicants } from "./applicants.ts";
import { approve, decline, issueForPerson, makeOperator } from "./approval.ts";
import { findPerson, listPeople } from "./person.ts";
import { joinWaitlist, listWaitlist } from "./waitlist.ts";

const operator = { by: "op@example.test", requestId: "req-1" };

test("an approval makes a member of a team with limits, and takes the entry off the waitlist", async (t) => {
  const { redis, team, email } = await durable(t);
  const ada = email("ada");
  await joinWaitlist(redis, { email: ada, text: "Two sites." });
  const approval = { email: ada, team, limits: { requestsPerSecond: 5 } };
  assert.equal((await approve(redis, approval, operator)).kind, "approved");

  const person = await findPerson(redis, ada);
  assert.deepEqual([person?.email, person?.team, person?.role], [ada, team, "member"]);
  assert.deepEqual(await teamLimits(redis, team), { requestsPerSecond: 5 });
  assert.ok(!(await listWaitlist(redis)).some((entry) => entry.email === ada));
  assert.ok((await listPeople(redis)).some((each) => each.email === ada));
  const [entry] = await listAudit(redis, { count: 1 });
  assert.deepEqual(
    [entry?.by, entry?.action, entry?.on, entry?.requestId, entry?.details],
    [
      "op@example.test",
      "waitlist_approved",
      ada,
      "req-1",
      { team, limits: { before: {}, after: { requestsPerSecond: 5 } } },
    ],
  );
});

test("a second approval changes no team, no limits and no role", async (t) => {
  const { redis, team, email } = await durable(t);
  const ada = email("ada");
  await approve(redis, { email: ada, team, limits: { inFlightMax: 2 } }, operator);
  await makeOperator(redis, { email: ada }, operator);
  const before = await findPerson(redis, ada);
  assert.deepEqual(await approve(redis, { email: ada, team: `${team}-other` }, operator), {
    kind: "in_other_team",
    team,
  });
  await approve(redis, { email: ada, team }, operator);
  assert.deepEqual(await findPerson(redis, ada), before);
  assert.equal(before?.role, "operator");
  assert.deepEqual(await teamLimits(redis, team), { inFlightMax: 2 });
});

test("a declined entry leaves nothing of the person but the audit line and when it was", async (t) => {
  const { redis, email } = await durable(t);
  const ada = email("ada");
  await joinWaitlist(redis, { email: ada, text: "" });
  assert.deepEqual([await decline(redis, ada, operator), await decline(redis, ada, operator)], [true, false]);
  assert.equal(await findPerson(redis, ada), null);
  const days = (await redis.ttl(declinedKey(ada))) / 86_400;
  assert.ok(days > declinedShownDays - 1 && days <= declinedShownDays, `${days}`);
});

test("who joins again is marked as declined before, or as a member, until that changes", async (t) => {
  const { redis, team, email } = await durable(t);
  const [ada, bob, eve] = [email("ada"), email("bob"), email("eve")];
  const marks = async () => {
    const applicants = await listApplicants(redis);
    return [ada, bob, eve].map((each) => {
      const found = applicants.find((applicant) => applicant.email === each);
      return found && [found.team, found.declinedAt !== null];
    });
  };
  const joinAll = async () => {
    for (const each of [ada, bob, eve]) await joinWaitlist(redis, { email: each, text: "" });
  };
  await joinAll();
  assert.deepEqual(await marks(), [
    [null, false],
    [null, false],
    [null, false],
  ]);
  await approve(redis, { email: ada, team }, operator);
  await decline(redis, bob, operator);
  await joinAll();
  assert.deepEqual(await marks(), [
    [team, false],
    [null, true],
    [null, false],
  ]);
  // A member who is taken off the list stays a member; who was declined may be approved.
  await decline(redis, ada, operator);
  await approve(redis, { email: bob, team }, operator);
  assert.equal(await redis.exists(declinedKey(ada), declinedKey(bob)), 0);
});

test("who is an operator already is made one without another entry in the audit log", async (t) => {
  const { redis, team, email } = await durable(t);
  const op = email("op");
  const first = await makeOperator(redis, { email: op, team }, operator);
  const again = await makeOperator(redis, { email: op }, operator);
  assert.deepEqual([first.wasOperator, again.wasOperator], [false, true]);
  assert.deepEqual(again.person, first.person);
  const entries = (await listAudit(redis, { count: 20 })).filter(({ on }) => on === op);
  assert.deepEqual(
    entries.map(({ action }) => action),
    ["operator_made"],
  );
});

test("the first operator is in the team `operators`; nobody else gets a sign-in address", async (t) => {
  const { redis, email } = await durable(t);
  const op = email("op");
  assert.equal((await makeOperator(redis, { email: op }, operator)).person.team, "operators");
  assert.match((await issueForPerson(redis, { email: op, hours: 1 }, operator)) ?? "", /^[\w-]{43}$/);
  assert.equal(await issueForPerson(redis, { email: email("eve"), hours: 1 }, operator), null);
});
