import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import test from "node:test";
import { commandActor } from "@faceline/accounts/audit/audit-log";
import { makeOperator } from "@faceline/accounts/people/approval";
import { findSignInToken } from "@faceline/accounts/people/sign-in-link";
import { joinWaitlist } from "@faceline/accounts/people/waitlist";
import { openSmtpServer } from "@faceline/accounts/testing/smtp-server";
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

test("somebody is made an operator, and a member again, and is forgotten", async () => {
  await using redis = await connectRedis("REDIS_DURABLE_URL", url, 1_000);
  const email = `ada-${randomUUID()}@example.test`;
  const operator = await keys("operator", "--email", email, "--team", `${team}-cams`);
  assert.match(operator.printed, /is now an operator, and a member of team-.*-cams\.$/m);
  assert.match(operator.printed, /a service at http:\/\/127\.0\.0\.1:8080: set PORT or PUBLIC_URL if/);
  const [, token = ""] = /^http:\/\/127\.0\.0\.1:8080\/sign-in\/([\w-]{43})$/m.exec(operator.printed) ?? [];
  const person = await findSignInToken(redis, token);
  assert.deepEqual([person?.email, person?.team, person?.role], [email, `${team}-cams`, "operator"]);
  const repeated = await keys("operator", "--email", email);
  assert.match(repeated.printed, /was already an operator, and a member of /);
  assert.match(repeated.printed, /new sign-in link\. .* Earlier links no longer work\./);
  assert.equal(await findSignInToken(redis, token), null);
  await makeOperator(redis, { email: `olga-${email}` }, commandActor);
  const member = await keys("member", "--email", email);
  assert.match(member.printed, /is a member from their next request, and no longer an operator/);
  assert.deepEqual((await keys("member", "--email", `no-${email}`)).code, 1);
  await joinWaitlist(redis, { email: "eve@flood.test", text: "" });
  const declined = await keys("decline", "--domain", "flood.test");
  assert.equal(declined.printed, "1 entry was removed from the waitlist.\n");
  const forgotten = await keys("forget", "--email", email);
  assert.match(forgotten.printed, /is forgotten\.\n.*still work.*\n.*file was rewritten without them\.\n$/);
  const nobody = await keys("forget", "--email", email);
  assert.deepEqual(
    [nobody.code, nobody.printed.startsWith("Nothing is stored about this email.\n")],
    [1, true],
  );
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
  const printed = await keysWith(nowhere, "operator", "--email", email);
  assert.match(
    printed.printed,
    /did not take the mail: it cannot be reached[^]*https:\/\/faces\.example\/sign-in\/[\w-]{43}\n/,
  );
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
