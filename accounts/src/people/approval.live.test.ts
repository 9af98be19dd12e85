import assert from "node:assert/strict";
import test from "node:test";
import { teamLimits } from "../keys/api-keys.ts";
import { declinedKey, peopleKey } from "@faceline/contracts/wire/names";
import { durable } from "../../testing/durable.ts";
import { listAudit } from "../audit/audit-log.ts";
import { declinedShownDays, listApplicants } from "./applicants.ts";
import { approve, decline, declineAll, issueForPerson, makeMember, makeOperator } from "./approval.ts";
import { forget } from "./forget.ts";
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
  assert.deepEqual([first?.wasOperator, again?.wasOperator], [false, true]);
  assert.deepEqual(again?.person, first?.person);
  const entries = (await listAudit(redis, { count: 20 })).filter(({ on }) => on === op);
  assert.deepEqual(
    entries.map(({ action }) => action),
    ["operator_made"],
  );
});

test("who is forgotten while they are made an operator or approved again stays forgotten", async (t) => {
  const { redis, team, email } = await durable(t);
  for (let round = 0; round < 10; round++) {
    const ada = email(`ada-${round}`);
    await approve(redis, { email: ada, team }, operator);
    const page = () => makeOperator(redis, { email: ada, mustBeKnown: true }, operator);
    const command = makeOperator(redis, { email: ada }, operator);
    await Promise.all([command, page(), forget(redis, ada, operator), page()]);
    assert.equal(await findPerson(redis, ada), null, `round ${round}`);
    assert.ok(!(await redis.smembers(peopleKey)).includes(ada));
    assert.ok(!(await listAudit(redis, { count: 50 })).some(({ on }) => on === ada));
  }
});

test("an approval of the waitlist's page does not put back who was declined or forgotten meanwhile", async (t) => {
  const { redis, team, email } = await durable(t);
  const ada = email("ada");
  await joinWaitlist(redis, { email: ada, text: "" });
  await forget(redis, ada, operator);
  assert.deepEqual(await approve(redis, { email: ada, team, mustWait: true }, operator), { kind: "gone" });
  assert.equal(await findPerson(redis, ada), null);
});

test("a filled waitlist is declined by mail domain, by network, or as a whole, without marks", async (t) => {
  const { redis, email } = await durable(t);
  const join = (each: string, network: string) => joinWaitlist(redis, { email: each, text: "", network });
  const [ada, bob] = [email("ada"), email("bob")];
  await join("a@flood.test", "10.0.0.0/24");
  await join("b@flood.test", "10.0.1.0/24");
  await join(ada, "10.0.1.0/24");
  await join(bob, "10.0.2.0/24");
  assert.equal(await declineAll(redis, { domain: "flood.test" }, operator), 2);
  assert.equal(await declineAll(redis, { network: "10.0.1.0/24" }, operator), 1);
  assert.deepEqual(
    (await listWaitlist(redis)).filter(({ email: each }) => [ada, bob].includes(each)).length,
    1,
  );
  assert.ok((await declineAll(redis, "all", operator)) >= 1);
  assert.equal(await declineAll(redis, "all", operator), 0);
  assert.equal(await redis.exists(declinedKey(ada), declinedKey("a@flood.test")), 0);
  const entries = (await listAudit(redis, { count: 3 })).map(({ on, details }) => [on, details.entries]);
  assert.deepEqual(entries.slice(1), [
    ["10.0.1.0/24", 1],
    ["flood.test", 2],
  ]);
});

test("who is declined while they are forgotten leaves no mark", async (t) => {
  const { redis, email } = await durable(t);
  const ada = email("ada");
  await joinWaitlist(redis, { email: ada, text: "" });
  await Promise.all([forget(redis, ada, operator), decline(redis, ada, operator)]);
  assert.equal(await redis.exists(declinedKey(ada)), 0);
});

test("an operator becomes a member again, and of two who do it to each other one stays", async (t) => {
  const { redis, team, email } = await durable(t);
  const rest = (await listPeople(redis)).filter(({ role }) => role === "operator");
  const [ada, bob] = [email("ada"), email("bob")];
  for (const each of [ada, bob]) await makeOperator(redis, { email: each, team }, operator);
  for (const { email: each } of rest) assert.equal(await makeMember(redis, each, operator), "made");
  const results = await Promise.all([ada, bob].map((each) => makeMember(redis, each, operator)));
  assert.deepEqual(results.toSorted(), ["last_operator", "made"]);
  const people = await Promise.all([ada, bob].map((each) => findPerson(redis, each)));
  const members = people.filter((person) => person?.role === "member");
  assert.equal(members.length, 1);
  const made = members[0]!.email;
  assert.equal(await makeMember(redis, made, operator), "was_member");
  assert.equal(await makeMember(redis, email("nobody"), operator), "unknown");
  const [entry] = await listAudit(redis, { count: 1 });
  assert.deepEqual([entry?.action, entry?.on], ["member_made", made]);
});

test("the first operator is in the team `operators`; nobody else gets a sign-in link", async (t) => {
  const { redis, email } = await durable(t);
  const op = email("op");
  assert.equal((await makeOperator(redis, { email: op }, operator))?.person.team, "operators");
  assert.match((await issueForPerson(redis, { email: op, hours: 1 }, operator)) ?? "", /^[\w-]{43}$/);
  assert.equal(await issueForPerson(redis, { email: email("eve"), hours: 1 }, operator), null);
});
