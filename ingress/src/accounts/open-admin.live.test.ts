import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import {
  createTeamKey,
  renameTeamKey,
  revokeTeamKey,
  rotateTeamKey,
} from "@faceline/accounts/keys/team-keys";
import { storeSession } from "@faceline/accounts/people/sessions";
import { findSignInToken } from "@faceline/accounts/people/sign-in-link";
import { joinWaitlist } from "@faceline/accounts/people/waitlist";
import { connectRedis } from "@faceline/runtime/redis";
import { auditPage } from "@faceline/web/accounts/admin-audit-page";
import { openAdmin } from "./open-admin.ts";

const url = process.env["REDIS_DURABLE_URL"] ?? "";
const actor = { by: `olga-${randomUUID()}@example.test`, requestId: "request-1" };
const origin = "https://faces.example";

test("what an operator does on the pages is in the durable Redis, and in the audit log", async () => {
  await using durable = await connectRedis("REDIS_DURABLE_URL", url, 1_000);
  const admin = openAdmin({ durable, sendMail: undefined, hours: 1 });
  const [email, other, team] = [
    `ada-${randomUUID()}@example.test`,
    `eve-${randomUUID()}@example.test`,
    randomUUID(),
  ];
  for (const each of [email, other]) await joinWaitlist(durable, { email: each, text: "" });
  await admin.approve({ email, team, limits: { inFlightMax: 2 } }, actor);
  await admin.decline(other, actor);
  assert.ok(!(await admin.waitlist()).some((entry) => [email, other].includes(entry.email)));
  const sent = await admin.sendAddress(email, origin, actor);
  assert.ok(sent?.kind === "shown" && sent.mailFault === undefined);
  const token = sent.address.slice(`${origin}/sign-in/`.length);
  assert.equal((await findSignInToken(durable, token))?.team, team);
  await admin.sendAddress(email, origin, actor);
  assert.equal(await findSignInToken(durable, token), null, "another one takes its place");
  assert.equal((await admin.openLinks(email)).length, 1);
  await admin.cancelLinks(email, actor);
  assert.deepEqual(await admin.openLinks(email), []);

  await storeSession(durable, randomUUID(), { email, createdAt: Date.now(), seenAt: 1 }, 1);
  assert.equal((await admin.sessions(email)).length, 1);
  await admin.endSessions(email, actor);
  assert.deepEqual(await admin.sessions(email), []);
  await admin.setLimits(team, { requestsBurst: 3 }, actor);
  const found = (await admin.teams()).find((each) => each.team === team);
  assert.deepEqual(found, { team, limits: { requestsBurst: 3 }, people: 1, keys: 0 });
  assert.deepEqual(await admin.team(team), found);
  await admin.makeOperator(email, actor);
  assert.equal((await admin.people()).find((each) => each.email === email)?.role, "operator");
  // Other files of the test run write into this log at the same time.
  const entries = (await admin.audit({ count: 100 })).entries.filter(({ by }) => by === actor.by);
  assert.deepEqual(
    entries.map(({ by, action, on }) => [by, action, on]),
    [
      [actor.by, "operator_made", email],
      [actor.by, "limits_set", team],
      [actor.by, "sessions_ended", email],
      [actor.by, "sign_in_addresses_cancelled", email],
      [actor.by, "sign_in_address_made", email],
      [actor.by, "sign_in_address_made", email],
      [actor.by, "waitlist_declined", other],
      [actor.by, "waitlist_approved", email],
    ],
  );
});

test("an address is mailed, or shown when the server does not take the mail", async () => {
  await using durable = await connectRedis("REDIS_DURABLE_URL", url, 1_000);
  const email = `ada-${randomUUID()}@example.test`;
  const mails: string[] = [];
  const mailed = openAdmin({
    durable,
    hours: 1,
    sendMail: async ({ to, text }) => void mails.push(to, text),
  });
  assert.equal(await mailed.sendAddress(email, origin, actor), null, "nobody has this email");
  await mailed.approve({ email, team: randomUUID(), limits: {} }, actor);
  assert.deepEqual(await mailed.sendAddress(email, origin, actor), { kind: "mailed" });
  assert.deepEqual([mails[0], mails[1]?.includes(`${origin}/sign-in/`)], [email, true]);
  const failing = openAdmin({
    durable,
    hours: 1,
    sendMail: () => Promise.reject(new Error("refused")),
  });
  const shown = await failing.sendAddress(email, origin, actor);
  assert.equal(shown?.kind === "shown" && shown.mailFault, "refused");
});

test("the audit log names keys as they are called now, whatever happened to them", async () => {
  await using durable = await connectRedis("REDIS_DURABLE_URL", url, 1_000);
  const admin = openAdmin({ durable, sendMail: undefined, hours: 1 });
  const team = randomUUID();
  const first = await createTeamKey(durable, { team, name: "laptop" }, actor);
  assert.ok(first.kind === "created");
  await renameTeamKey(durable, { team, id: first.id, name: "door" }, actor);
  const second = await rotateTeamKey(durable, { team, id: first.id, overlapHours: 1 }, actor);
  assert.ok(second.kind === "created");
  await revokeTeamKey(durable, { team, id: first.id }, actor);
  const { entries, keys } = await admin.audit({ count: 50 });
  const body = auditPage({ entries, keys }).content.replaceAll(/<[^>]+>/g, "");
  const prefix = (key: string) => `“door” ${key.slice(0, 12)}…`;
  assert.equal(body.split(prefix(first.key)).length - 1, 4, body);
  assert.match(body, new RegExp(`new key ${prefix(second.key)}`));
  assert.ok(!body.includes(first.id) && !body.includes(first.key));
});
