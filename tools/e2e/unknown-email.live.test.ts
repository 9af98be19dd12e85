// Covers what docs/operating/data-protection.md says of unknown emails: see sign-in-link.ts.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { commandActor } from "@faceline/accounts/audit/audit-log";
import { approve, cancelForPerson, decline, issueForPerson } from "@faceline/accounts/people/approval";
import { forget } from "@faceline/accounts/people/forget";
import { endSessions } from "@faceline/accounts/people/sessions";
import { issueSignInToken } from "@faceline/accounts/people/sign-in-link";
import { connectRedis } from "@faceline/runtime/redis";
import { startDurableServer } from "./stack/redis-servers.ts";

test("an email that nobody has reaches no file of the durable Redis, whatever is tried with it", async (t) => {
  const server = await startDurableServer(t);
  const open = (user: "ingress" | "keys") =>
    connectRedis("REDIS_DURABLE_URL", server.access(user)["REDIS_DURABLE_URL"]!, 5_000);
  await using ingress = await open("ingress");
  await using keys = await open("keys");
  const unknownEmail = "never-joined@example.test";
  const known = "ada@example.test";

  await approve(keys, { email: known, team: "ants" }, commandActor);
  await issueSignInToken(ingress, known, { hours: 1 });
  assert.ok(lines(server.folder, known) > 0, "the search finds what is there");

  for (const redis of [ingress, keys]) {
    assert.equal(await issueSignInToken(redis, unknownEmail, { hours: 1 }), null);
    assert.equal(await issueForPerson(redis, { email: unknownEmail, hours: 1 }, commandActor), null);
    assert.equal(await cancelForPerson(redis, unknownEmail, commandActor), 0);
    assert.equal(await decline(redis, unknownEmail, commandActor), false);
    assert.equal(await endSessions(redis, unknownEmail), 0);
  }
  assert.equal((await forget(keys, unknownEmail, commandActor)).found, false);
  assert.equal(lines(server.folder, unknownEmail), 0);
});

/** Lines with the text, in all files of a folder. */
const lines = (folder: string, text: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1").split("\n"))
    .filter((line) => line.includes(text)).length;
