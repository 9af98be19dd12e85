import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { HealthResponse } from "@faceline/contracts/http/health";
import { Problem } from "@faceline/contracts/http/problem";
import { readConfig } from "@faceline/runtime/config";
import {
  connectRedis,
  connectVolatileRedis,
  VolatileRedisConfig,
  type VolatileRedisOptions,
} from "@faceline/runtime/redis";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { imageKey } from "@faceline/contracts/wire/names";
import type { Program } from "@faceline/deploy/launcher/child";
import { durableRedis, volatileRedis } from "@faceline/deploy/launcher/redis-server";
import { unrestricted } from "@faceline/deploy/launcher/redis-users";
import { newPassword } from "@faceline/deploy/launcher/secrets";
import { startRedis } from "@faceline/deploy/testing/redis-server";
import { portraits } from "@faceline/testing/faces";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { startStack } from "./stack/stack.ts";

// Redis servers of their own, because they are reconfigured, made to replicate, and killed.

const anyUser = {
  users: [{ user: "any", password: newPassword(), rights: unrestricted }],
  probe: "any",
} as const;
/** A text that no server prints of its own. */
const argument = "FACELINE-ARGUMENT";

test("a server that has a replica is refused, and so is the replica", async (t) => {
  const first = await startUnrestricted(t);
  const replica = await startUnrestricted(t, "--replicaof", "127.0.0.1", `${first.port}`);
  await replicates(first.url);
  for (const { url } of [first, replica]) {
    await assert.rejects(connectVolatileRedis(config(url)), {
      message:
        "REDIS_VOLATILE_URL: this server may not hold images: it must not replicate, because a full resync writes " +
        "images to disk; run it without replicas, and not as one",
    });
  }
});

test("a replica that attaches later is noticed: nothing is sent until it is gone", async (t) => {
  const { url, port } = await startUnrestricted(t);
  const { options, nextLine } = checkLog();
  await using redis = await connectVolatileRedis(config(url), options);
  await redis.set("before", "bytes");
  const replica = await startUnrestricted(t, "--replicaof", "127.0.0.1", `${port}`);
  assert.match(await nextLine(), /^it must not replicate/);
  assert.equal(redis.usable, false);
  assert.equal(redis.returnedAt, Number.NEGATIVE_INFINITY);
  await assert.rejects(redis.set("after", "bytes"), /not accepted/);

  replica.child.kill("SIGKILL");
  assert.equal(await nextLine(), "the volatile Redis is in use again");
  assert.equal(redis.usable, true);
  assert.ok(redis.returnedAt > 0);
  assert.deepEqual(await redis.mget("before", "after"), ["bytes", null]);
});

test("snapshots that are turned on later are noticed", async (t) => {
  const { url } = await startUnrestricted(t);
  const { options, nextLine } = checkLog();
  await using redis = await connectVolatileRedis(config(url), options);
  await redis.config("SET", "save", "1 1");
  assert.equal(await nextLine(), 'set `save ""`, it writes snapshots of images to disk');
  await assert.rejects(redis.set("after", "bytes"), /not accepted/);
});

test("after a reconnect nothing is sent before the server was checked again", async (t) => {
  const { url } = await startUnrestricted(t);
  const { options, nextLine } = checkLog();
  // Only the reconnect can notice it.
  await using redis = await connectVolatileRedis(config(url), {
    ...options,
    everyMs: 3_600_000,
  });
  await using operator = await connectRedis("REDIS_VOLATILE_URL", url, 1_000);
  await operator.config("SET", "save", "1 1");
  const sentWhenReady = new Promise<PromiseSettledResult<unknown>[]>((resolve) => {
    redis.once("ready", () =>
      resolve(Promise.allSettled([redis.set("a", "bytes"), redis.set("b", "bytes"), redis.get("a")])),
    );
  });
  await operator.call("CLIENT", "KILL", "ID", await redis.client("ID"));
  assert.deepEqual(
    (await sentWhenReady).map(({ status }) => status),
    ["rejected", "rejected", "rejected"],
  );
  await nextLine();
  assert.equal(await operator.dbsize(), 0);
});

test("a connection that is closed while its server is away keeps no process alive", async (t) => {
  const { url, child } = await startUnrestricted(t);
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  const redis = await connectVolatileRedis(config(url));
  const away = once(redis, "close");
  child.kill("SIGKILL");
  await Promise.all([away, child.ended]);
  await assert.rejects(redis.publish("reports", ""), { message: /: there is no connection$/ });
  await redis[Symbol.asyncDispose]();
  await waitUntil("no timer is left", async () => timers() <= before);
});

test("a server that refuses CONFIG is taken only with the setting that says so, and watched through INFO", async (t) => {
  const { url } = await startUnrestricted(t);
  await using operator = await connectRedis("REDIS_VOLATILE_URL", url, 1_000);
  await operator.call("ACL", "SETUSER", "guest", "on", ">secret", "~*", "&*", "+@all", "-config");
  const guest = config(url.replace("//", "//guest:secret@"));
  await assert.rejects(connectVolatileRedis(guest), {
    message:
      "REDIS_VOLATILE_URL: this server may not hold images: it refuses CONFIG GET, so nobody can tell whether it writes " +
      "snapshots: allow that command, or turn snapshots and backups off and set REDIS_VOLATILE_CONFIG_UNREADABLE=accept",
  });

  const accept = { ...guest, REDIS_VOLATILE_CONFIG_UNREADABLE: "accept" as const };
  const { options, nextLine } = checkLog();
  await using redis = await connectVolatileRedis(accept, options);
  assert.match(await nextLine(), /nobody checks `save`/);
  await redis.set("image", "bytes");
  await operator.bgsave();
  assert.match(await nextLine(), /^it has written a snapshot since it started/);
  await operator.config("SET", "maxmemory", "0");
  await assert.rejects(connectVolatileRedis(accept), /; set `maxmemory`, its memory is unbounded$/);
});

for (const [name, program] of [
  ["volatile", launcherVolatile],
  [
    "durable",
    (command: string, folder: string, port: number) => durableRedis(command, folder, { port, ...anyUser }),
  ],
] as const) {
  test(`a crash of the ${name} server prints nothing of the command that ran`, async (t) => {
    const printed: string[] = [];
    const running = Promise.withResolvers<void>();
    const { url, child } = await startRedis(t, program, (line) => {
      printed.push(line);
      if (line.includes("in the command")) running.resolve();
    });
    const { password } = anyUser.users[0];
    await using redis = await connectRedis("REDIS_URL", url.replace("//", "//any@"), 1_000, { password });
    const lua = "redis.log(redis.LOG_WARNING, 'in the command') while true do end";
    const response = redis.call("EVAL", lua, "0", argument).catch(() => {});
    await running.promise;
    child.kill("SIGSEGV");
    assert.match((await child.ended).cause, /SIGSEGV/);
    await response;
    assert.deepEqual(
      printed.filter((line) => line.includes(argument)),
      [],
    );
  });
}

test("a server that begins to write snapshots gets no image and calls are refused, until it is configured correctly again", async (t) => {
  const { url, folder } = await startUnrestricted(t);
  const { address, post, postOnce } = await startStack(t, { settings: { REDIS_VOLATILE_URL: url } });
  const [portrait] = await portraits();
  const body = { img: portrait!.toString("base64") };
  const health = async () =>
    HealthResponse.parse(await (await fetch(`${address}/health`)).json()).checks.redis;
  assert.equal((await post("/represent", body)).status, 200);

  await using operator = await connectRedis("REDIS_VOLATILE_URL", url, 1_000);
  // Far off: only the setting is at fault, and the test finds the disk empty.
  await operator.config("SET", "save", "86400 1000000");
  await waitUntil("the ingress refuses the server", async () => (await health()) === "unavailable");
  const refused = await postOnce("/represent", body);
  assert.deepEqual([refused.status, Problem.parse(refused.body).dependency], [503, "redis-volatile"]);
  assert.deepEqual(await operator.keys(imageKey("*" as TaskId)), []);

  await operator.config("SET", "save", "");
  assert.equal((await post("/represent", body)).status, 200);
  assert.equal(existsSync(join(folder, "dump.rdb")), false);
});

/** The `volatile` server of the launcher, with a user who may do everything. */
function launcherVolatile(command: string, folder: string, port: number): Program {
  return volatileRedis(command, folder, { port, memoryMaxMib: 64, ...anyUser });
}

/** One as operators run theirs: its settings are right, and every command is allowed. */
const startUnrestricted = (t: TestContext, ...more: string[]) =>
  startRedis(t, (command, folder, port) => ({
    ...launcherVolatile(command, folder, port),
    ready: () => answersPing(port),
    args: [
      ...`--bind 127.0.0.1 --port ${port} --dir ${folder} --appendonly no --maxmemory 64mb`.split(" "),
      "--save",
      "",
      "--maxmemory-policy",
      "noeviction",
      "--repl-diskless-sync-delay",
      "0",
      ...more,
    ],
  }));

const config = (url: string) => readConfig(VolatileRedisConfig, { REDIS_VOLATILE_URL: url });

/** Options of a connection that checks often, and a function that waits for the next line of its log. */
function checkLog() {
  const lines: string[] = [];
  const append = (line: string | { reason: string }): void =>
    void lines.push(typeof line === "string" ? line : line.reason);
  const log = { error: append, warn: append } as unknown as VolatileRedisOptions["log"];
  const nextLine = async (): Promise<string> => {
    await waitUntil("a check is logged", async () => lines.length > 0);
    return lines.shift()!;
  };
  return { options: { log, everyMs: 50 }, nextLine };
}

/** Whether a server without users answers. */
async function answersPing(port: number): Promise<boolean> {
  const redis = connectRedis("REDIS_URL", `redis://127.0.0.1:${port}`, 1_000);
  return redis.then(
    (open) => open[Symbol.asyncDispose]().then(() => true),
    () => false,
  );
}

async function replicates(url: string): Promise<void> {
  await using redis = await connectRedis("REDIS_VOLATILE_URL", url, 1_000);
  await waitUntil("the replica is connected", async () =>
    (await redis.info("replication")).includes("connected_slaves:1"),
  );
}
