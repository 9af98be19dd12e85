import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import test from "node:test";
import { commandActor, listAudit } from "@faceline/accounts/audit/audit-log";
import { listTeamKeys } from "@faceline/accounts/keys/team-index";
import {
  createTeamKey,
  renameTeamKey,
  revokeTeamKey,
  rotateTeamKey,
} from "@faceline/accounts/keys/team-keys";
import { rewriteAppendOnlyFile } from "@faceline/accounts/people/append-only-file";
import { listApplicants } from "@faceline/accounts/people/applicants";
import {
  approve,
  cancelForPerson,
  decline,
  issueForPerson,
  makeOperator,
} from "@faceline/accounts/people/approval";
import { forget } from "@faceline/accounts/people/forget";
import { listPeople } from "@faceline/accounts/people/person";
import { endSessions, listSessions, storeSession } from "@faceline/accounts/people/sessions";
import { consumeSignInToken, findSignInToken, listOpenLinks } from "@faceline/accounts/people/sign-in-link";
import { findTeam, listTeams } from "@faceline/accounts/people/teams";
import { joinWaitlist } from "@faceline/accounts/people/waitlist";
import { PendingUsage } from "@faceline/accounts/usage/pending-usage";
import { readRecentErrors, readUsage, readUsageByTeam } from "@faceline/accounts/usage/read-usage";
import { writeUsage } from "@faceline/accounts/usage/write-usage";
import { connectRedis } from "@faceline/runtime/redis";
import { durableUsers, type RedisRights, volatileUsers } from "./redis-users.ts";
import { passwordFile, type Server } from "./secrets.ts";
import { secretsFolder } from "./state-folder.ts";

const run = process.env["FACELINE_TEST_RUN"] ?? "";
const urlOfTests: Record<RedisServer, string> = {
  "redis-volatile": process.env["REDIS_VOLATILE_URL"] ?? "",
  "redis-durable": process.env["REDIS_DURABLE_URL"] ?? "",
};
/** The servers of this run, unless the operator's settings name others. */
const skip =
  !new URL(urlOfTests["redis-volatile"]).username.includes("test") &&
  "Redis was not started by this test run";

for (const server of ["redis-volatile", "redis-durable"] as const) {
  test(`without a password the ${server} server does nothing`, { skip }, async () => {
    for (const line of [
      "GET image:somebody",
      "SET key:0000 {}",
      "KEYS *",
      "CONFIG SET dir /",
      "SYNC",
      "PSYNC ? -1",
      "MONITOR",
      "SUBSCRIBE answers:0",
      "EVAL return 0",
      "INFO",
      "PING",
    ]) {
      assert.match(await replyTo(server, line), /^-NOAUTH /, line);
    }
    assert.match(await replyTo(server, "AUTH default default"), /^-WRONGPASS /);
    assert.match(await replyTo(server, "AUTH keys keys"), /^-WRONGPASS /);
  });
}

const users: [RedisServer, string, RedisRights][] = [
  ...Object.entries(volatileUsers).map(([user, rights]) => ["redis-volatile", user, rights] as const),
  ...Object.entries(durableUsers).map(([user, rights]) => ["redis-durable", user, rights] as const),
].map(([server, user, rights]) => [server, user, rights]);

for (const [server, user, rights] of users) {
  test(`${user} of ${server} may run no command but its own`, { skip }, async () => {
    await using redis = await connectRedis("REDIS_URL", urlOfTests[server], 1_000);
    const commands = ((await redis.call("COMMAND")) as CommandReply[]).flatMap(withSubcommands);
    assert.ok(commands.length > 200);
    const others = commands.filter(([name]) => !rights.commands.includes(name) && !handshake.has(name));
    await using connection = await openAs(server, user);
    for (const [name, arity] of others) {
      const [command, ...subcommand] = name.split("|");
      const args = Array.from({ length: Math.abs(arity) - 1 - subcommand.length }, () => "1");
      await assert.rejects(connection.call(command!, ...subcommand, ...args), refusal, name);
    }
    for (const [name, ...args] of settingsCommands) {
      await assert.rejects(
        connection.call(name, ...args),
        /^ReplyError: NOPERM /,
        `${name} ${args.join(" ")}`,
      );
    }
  });
}

test("no user may list the names of keys", () => {
  const listing = [
    "scan",
    "keys",
    "randomkey",
    "dbsize",
    "sort",
    "psync",
    "sync",
    "monitor",
    "@all",
    "@read",
  ];
  const mayList = users.filter(([, , { commands }]) => listing.some((name) => commands.includes(name)));
  assert.deepEqual(mayList, []);
});

test("the users of the services reach no keys and channels but their own", { skip }, async () => {
  for (const [server, user, ...refused] of [
    ["redis-volatile", "ingress", ["SET", "elsewhere", "1"], ["PUBLISH", "elsewhere", "1"]],
    ["redis-volatile", "batcher", ["SET", "image:1", "1"], ["GET", "image:1"], ["PUBLISH", "keys", "1"]],
    ["redis-volatile", "inference", ["MGET", "rate:t"], ["PUBLISH", "cancels:p", "1"]],
    ["redis-durable", "ingress", ["GET", "elsewhere"], ["SUBSCRIBE", "elsewhere"]],
    ["redis-durable", "keys", ["SET", "elsewhere", "1"], ["PUBLISH", "elsewhere", "1"]],
  ] as [RedisServer, string, ...[string, ...string[]][]][]) {
    await using connection = await openAs(server, user);
    for (const [name, ...args] of refused) {
      await assert.rejects(connection.call(name, ...args), /NOPERM/, `${user}: ${name} ${args.join(" ")}`);
    }
  }
});

test("the ingress may do what its pages for people need, and `keys` may forget people", {
  skip,
}, async () => {
  const run = randomUUID();
  const [email, team] = [`ada-${run}@example.test`, `team-${run}`];
  const actor = { by: email, requestId: "req-1" };
  await using ingress = await openAs("redis-durable", "ingress");
  await joinWaitlist(ingress, { email, text: "" });
  await listApplicants(ingress);
  await decline(ingress, email, actor);
  await joinWaitlist(ingress, { email, text: "" });
  await approve(ingress, { email, team, limits: { inFlightMax: 2 } }, actor);
  await makeOperator(ingress, { email }, actor);
  assert.equal((await listPeople(ingress)).filter((person) => person.email === email).length, 1);
  const token = await issueForPerson(ingress, { email, hours: 1 }, actor);
  assert.equal((await listOpenLinks(ingress, email)).length, 1);
  assert.equal((await findSignInToken(ingress, token!))?.role, "operator");
  assert.equal((await consumeSignInToken(ingress, token!))?.email, email);
  await storeSession(ingress, run, { email, createdAt: Date.now(), seenAt: 1 }, 1);
  assert.equal((await listSessions(ingress, email)).length, 1);
  const created = await createTeamKey(ingress, { team, name: "laptop" }, actor);
  assert.ok(created.kind === "created");
  await renameTeamKey(ingress, { team, id: created.id, name: "door" }, actor);
  await rotateTeamKey(ingress, { team, id: created.id, overlapHours: 1 }, actor);
  await revokeTeamKey(ingress, { team, id: created.id }, actor);
  assert.equal((await findTeam(ingress, team, Date.now()))?.keys, 1);
  assert.equal((await listTeams(ingress, Date.now())).find((each) => each.team === team)?.keys, 1);
  assert.equal((await listAudit(ingress, { count: 1 }))[0]?.on, created.id);
  await endSessions(ingress, email);
  await issueForPerson(ingress, { email, hours: 1 }, actor);
  assert.equal(await cancelForPerson(ingress, email, actor), 1);
  await decline(ingress, email, actor);

  const pending = new PendingUsage({ countersMax: 1 });
  pending.add({ team, endpoint: "/verify", outcome: "queue_full", endedAt: 1, requestId: run });
  await writeUsage(ingress, { ingress: run, number: 1 }, pending.take());

  assert.equal((await readUsage(ingress, team, ["1970-01-01"]))[0]!.counts.length, 1);
  assert.equal((await readRecentErrors(ingress, team)).length, 1);
  assert.ok((await readUsageByTeam(ingress, ["1970-01-01"])).length > 0);

  await using keys = await openAs("redis-durable", "keys");
  for (const user of [ingress, keys]) assert.equal((await listTeamKeys(user, team)).length, 2);
  assert.deepEqual(await forget(keys, email, commandActor), { found: true, team });
  assert.equal(await rewriteAppendOnlyFile(keys), "rewritten");
  assert.equal(await rewriteAppendOnlyFile(ingress), "refused");
});

for (const server of ["redis-volatile", "redis-durable"] as const) {
  test(`a script in the ${server} server may do no more than its user`, { skip }, async () => {
    await using ingress = await openAs(server, "ingress");
    for (const call of [
      "'keys', '*'",
      "'scan', '0'",
      "'randomkey'",
      "'get', 'elsewhere'",
      "'config', 'set', 'save', '1 1'",
    ]) {
      await assert.rejects(
        ingress.call("EVAL", `return redis.call(${call})`, "0"),
        /NOPERM|ACL failure|can't (run this|access at least one)|not allowed from script/,
        call,
      );
    }
  });
}

/** EXEC repeats the refusal of its transaction. DEBUG and MODULE are off in Redis 7, whoever asks. */
const refusal = /^ReplyError: ((EXECABORT .* )?NOPERM |ERR (DEBUG|MODULE) command not allowed)/;

/** Since 7.0 a command such as CONFIG has subcommands with rights of their own. */
const withSubcommands = (command: CommandReply): CommandReply[] =>
  command[9] === undefined || command[9].length === 0 ? [command] : command[9];
type CommandReply = [name: string, arity: number, ...facts: unknown[]] & { 9?: CommandReply[] };

/** Commands that every connection may send before and after it has logged in. */
const handshake = new Set(["auth", "hello", "quit", "reset", "config", "host:", "post"]);

const settingsCommands: [string, ...string[]][] = [
  ["CONFIG", "SET", "save", "1 1"],
  ["CONFIG", "REWRITE"],
  ["CONFIG", "RESETSTAT"],
];

const openAs = (server: RedisServer, user: string) => {
  const url = new URL(urlOfTests[server]);
  url.username = user;
  url.password = "";
  const password = readFileSync(passwordFile(secretsFolder(run), server, user), "utf8").trim();
  // Without INFO, ioredis would wait for the server's state: the user of the launcher may only ping.
  return connectRedis("REDIS_URL", url.href, 1_000, { password });
};

/** Sends one line over a connection that has not logged in. */
function replyTo(server: RedisServer, line: string): Promise<string> {
  const { hostname, port } = new URL(urlOfTests[server]);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(`${line}\r\n`));
  socket.once("data", (reply) => resolve(reply.toString()));
  socket.once("error", reject);
  return promise.finally(() => socket.destroy());
}

type RedisServer = Exclude<Server, "kafka">;
