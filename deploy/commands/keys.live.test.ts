import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import test from "node:test";
import { commandActor } from "@faceline/accounts/audit/audit-log";
import { createKey } from "@faceline/accounts/keys/team-keys";
import { makeOperator } from "@faceline/accounts/people/approval";
import { findSignInToken } from "@faceline/accounts/people/sign-in-link";
import { joinWaitlist } from "@faceline/accounts/people/waitlist";
import { openSmtpServer } from "@faceline/accounts/testing/smtp-server";
import { PendingUsage } from "@faceline/accounts/usage/pending-usage";
import { writeUsage } from "@faceline/accounts/usage/write-usage";
import { errorTable } from "@faceline/contracts/http/errors";
import { findApiKey } from "@faceline/accounts/keys/api-keys";
import { connectRedis } from "@faceline/runtime/redis";

const url = process.env["REDIS_DURABLE_URL"] ?? "";
const team = `team-${randomUUID()}`;

test("keys are created, listed and revoked on the server of REDIS_DURABLE_URL", async () => {
  const created = await keys("create", "--team", team, "--name", "laptop", "--per-second", "5");
  const [key = ""] = created.printed.split("\n");
  assert.match(key, /^fl_[A-Za-z0-9_-]{43}$/);
  await using redis = await connectRedis("REDIS_DURABLE_URL", url, 1_000);
  const sha256 = createHash("sha256").update(key).digest("hex");
  const stored = await findApiKey(redis, sha256);
  assert.deepEqual([stored?.key.name, stored?.limits], ["laptop", { requestsPerSecond: 5 }]);

  const listed = await keys("list", "--team", team);
  const [head, row, ...others] = listed.printed.trim().split("\n");
  assert.match(head!, /^id +key +team +name +created +last used +state$/);
  assert.ok(row!.includes(`${key.slice(0, 12)}…`) && row!.endsWith("active"), row);
  assert.ok(!listed.printed.includes(key));
  assert.deepEqual(others, []);

  const revoked = await keys("revoke", "--prefix", key.slice(0, 10));
  assert.match(revoked.printed, /is revoked and no longer accepted/);
  assert.equal((await findApiKey(redis, sha256))?.key.disabled, true);
  assert.match((await keys("list", "--team", team)).printed, /revoked\n$/);
});

test("somebody waits, is approved with limits, gets a sign-in link and is forgotten", async () => {
  await using redis = await connectRedis("REDIS_DURABLE_URL", url, 1_000);
  const email = `ada-${randomUUID()}@example.test`;
  await joinWaitlist(redis, { email, text: "Door cameras.\nTwo sites." });
  const waiting = await keys("waitlist");
  assert.ok(waiting.printed.includes(`  ${email}\n    Door cameras.\n    Two sites.\n`), waiting.printed);

  await joinWaitlist(redis, { email, text: "Three sites." });
  const again = await keys("waitlist");
  const lines = `, resent [^\n]*\n    Three sites\\.\n    First message:\n    Door cameras\\.\n    Two sites\\.\n`;
  assert.match(again.printed, new RegExp(`  ${email}${lines}`));

  const approved = await keys("approve", "--email", email, "--team", `${team}-cams`, "--per-second", "5");
  const limits = `The limits of the whole team ${team}-cams are set: --per-second 5 (previously the default).`;
  assert.ok(approved.printed.includes(limits), approved.printed);
  const [, token = ""] = /^http:\/\/127\.0\.0\.1:8080\/sign-in\/([\w-]{43})$/m.exec(approved.printed) ?? [];
  assert.match(approved.printed, /a service at http:\/\/127\.0\.0\.1:8080: set PORT or PUBLIC_URL if/);
  const person = await findSignInToken(redis, token);
  assert.deepEqual([person?.email, person?.team, person?.role], [email, `${team}-cams`, "member"]);
  assert.ok(!(await keys("waitlist")).printed.includes(email));
  const elsewhere = await keys("approve", "--email", email, "--team", `${team}-other`);
  assert.deepEqual([elsewhere.code, elsewhere.printed.includes(`member of ${team}-cams`)], [1, true]);

  const operator = await keys("operator", "--email", email);
  assert.match(operator.printed, /is now an operator, and a member of team-.*-cams\.$/m);
  const repeated = await keys("operator", "--email", email);
  assert.match(repeated.printed, /was already an operator, and a member of /);
  assert.match(repeated.printed, /new sign-in link\. .* Earlier links no longer work\./);
  await makeOperator(redis, { email: `olga-${email}` }, commandActor);
  const member = await keys("member", "--email", email);
  assert.match(member.printed, /is a member from their next request, and no longer an operator/);
  assert.deepEqual((await keys("member", "--email", `no-${email}`)).code, 1);
  const forgotten = await keys("forget", "--email", email);
  assert.match(forgotten.printed, /is forgotten\.\n.*still work.*\n.*file was rewritten without them\.\n$/);
  assert.equal(await findSignInToken(redis, token), null);
  const nobody = await keys("forget", "--email", email);
  assert.deepEqual(
    [nobody.code, nobody.printed.startsWith("Nothing is stored about this email.\n")],
    [1, true],
  );
  const unknown = await keys("sign-in-link", "--email", email);
  assert.deepEqual([unknown.code, unknown.printed.startsWith("There is no account")], [1, true]);
});

test("a sign-in link is mailed where a server is configured, and printed when it takes no mail", async () => {
  await using redis = await connectRedis("REDIS_DURABLE_URL", url, 1_000);
  await using server = await openSmtpServer();
  const email = `ada-${randomUUID()}@example.test`;
  const mail = { SMTP_FROM: "faceline@example.test", PUBLIC_URL: "https://faces.example/" };
  const mailed = await keysWith({ ...mail, SMTP_URL: server.url }, "operator", "--email", email);
  assert.match(mailed.printed, /was mailed to ada-.* no longer work\.\n$/);
  assert.doesNotMatch(mailed.printed, /sign-in\//);
  const [, token = ""] =
    /https:\/\/faces\.example\/sign-in\/([\w-]{43})/.exec(server.mails[0]?.text ?? "") ?? [];
  assert.equal((await findSignInToken(redis, token))?.email, email);

  const nowhere = { ...mail, SMTP_URL: "smtp://127.0.0.1:1" };
  const printed = await keysWith(nowhere, "sign-in-link", "--email", email);
  assert.match(
    printed.printed,
    /did not take the mail: it cannot be reached[^]*https:\/\/faces\.example\/sign-in\/[\w-]{43}\n/,
  );
});

test("usage shows the calls of a team by day, endpoint and outcome, its recent errors, and all teams", async () => {
  await using redis = await connectRedis("REDIS_DURABLE_URL", url, 1_000);
  const now = Date.now();
  const pending = new PendingUsage({ countersMax: 10 });
  const call = { team, endpoint: "/verify", endedAt: now, requestId: "the-call" };
  const { id: keyId } = await createKey(redis, { team, name: "badge reader" }, commandActor);
  for (const outcome of ["ok", "ok", "no_face_detected"] as const) pending.add({ ...call, outcome, keyId });
  await writeUsage(redis, { ingress: randomUUID(), number: 1 }, pending.take());

  const own = await keys("usage", "--team", team, "--days", "2");
  const day = new Date(now).toISOString().slice(0, 10);
  assert.deepEqual(own.printed.replaceAll(/ +/g, " ").trim().split("\n"), [
    "day endpoint outcome requests",
    `${day} /verify ok 2`,
    `${day} /verify no_face_detected 1`,
    "",
    `no_face_detected: ${errorTable.no_face_detected.next}`,
    ` ${new Date(now).toISOString()} /verify the-call badge reader`,
  ]);
  const all = (await keys("usage")).printed.replaceAll(/ +/g, " ");
  assert.match(all, /^team requests answered refused \(4xx\) failed \(5xx\) client left\n/);
  assert.ok(all.includes(`\n${team} 3 2 1 0 0\n`), all);
  assert.match((await keys("usage", "--team", "nobody")).printed, /^No requests of nobody were counted/);
});

test("an error is one sentence; exit code 2 means a wrong command line, 1 a failure", async () => {
  const none = await keys("revoke", "--id", "nonesuch");
  assert.deepEqual([none.code, none.printed.trim().split("\n").length], [1, 1]);
  assert.equal((await keys("create", "--team", "a b")).code, 2);
  const unreachable = await keysWith({ REDIS_DURABLE_URL: "redis://:secret@127.0.0.1:1" }, "list");
  assert.equal(unreachable.code, 1);
  assert.match(unreachable.printed, /^The Redis server of the keys cannot be reached: .*\n$/);
  assert.ok(!unreachable.printed.includes("secret"));
});

const keys = (...args: string[]) => keysWith({}, ...args);

/** Runs the command with additional environment variables. */
function keysWith(extra: NodeJS.ProcessEnv, ...args: string[]): Promise<{ code: number; printed: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number; printed: string }>();
  const env = { ...process.env, ...extra };
  execFile(process.execPath, [join(import.meta.dirname, "keys.ts"), ...args], { env }, (error, out, wrong) =>
    resolve({ code: Number(error?.code ?? 0), printed: out + wrong }),
  );
  return promise;
}
