// Redis servers that hold no keys, or not all of them, in the place of one that should.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readConfig } from "@faceline/runtime/config";
import {
  connectDurableRedis,
  connectRedis,
  connectVolatileRedis,
  DurableRedisConfig,
  VolatileRedisConfig,
} from "@faceline/runtime/redis";
import { startRedis } from "../testing/redis-server.ts";
import { freePorts } from "./ports.ts";
import { repository } from "./state-folder.ts";

const replica = "REDIS_DURABLE_URL: this is a replica: write the address of its master";

test("a Cluster, a Sentinel and a replica are refused as the durable Redis, each with a sentence", async (t) => {
  const durable = (url: string) =>
    outcome(connectDurableRedis(readConfig(DurableRedisConfig, { REDIS_DURABLE_URL: url })));
  assert.match(
    await durable(await startServer(t, "--cluster-enabled", "yes")),
    /^REDIS_DURABLE_URL: this is a Redis Cluster, .*: write the address of a single server$/,
  );
  assert.equal(
    await durable(await startServer(t, "--sentinel")),
    "REDIS_DURABLE_URL: this is a Sentinel: write the address of its master",
  );
  const url = await startServer(t, "--replicaof", "127.0.0.1 1");
  assert.equal(await durable(url), replica);
  const keys = spawnSync(process.execPath, ["deploy/commands/keys.ts", "create", "--team", "a"], {
    cwd: repository,
    env: { ...process.env, REDIS_DURABLE_PASSWORD_FILE: "", REDIS_DURABLE_URL: url },
    encoding: "utf8",
  });
  assert.equal(keys.stderr, `${replica}\n`);
});

test("a Sentinel is refused as the volatile Redis, and a Cluster unless one server has all keys", async (t) => {
  const volatile = (url: string) =>
    outcome(connectVolatileRedis(readConfig(VolatileRedisConfig, { REDIS_VOLATILE_URL: url })));
  assert.match(
    await volatile(await startServer(t, "--sentinel")),
    /^REDIS_VOLATILE_URL: .*: this is a Sentinel: write the address of its master$/,
  );
  const bounded = ["--maxmemory", "64mb", "--maxmemory-policy", "noeviction"];
  const url = await startServer(t, "--cluster-enabled", "yes", ...bounded);
  assert.match(await volatile(url), /^REDIS_VOLATILE_URL: .*: this is a Redis Cluster, /);
  await using redis = await connectRedis("REDIS_VOLATILE_URL", url, 1_000);
  await redis.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
  assert.equal(await volatile(url), "accepted");
});

/** Returns the sentence with which a server is refused. */
const outcome = (opening: Promise<AsyncDisposable>): Promise<string> =>
  opening.then(
    (redis) => redis[Symbol.asyncDispose]().then(() => "accepted"),
    (fault: Error) => fault.message,
  );

/** Starts a server without persistence and returns its address. */
async function startServer(t: TestContext, ...args: string[]): Promise<string> {
  const [bus] = await freePorts(1);
  const cluster = args[0] === "--cluster-enabled" ? `cluster-port ${bus}\n` : "";
  const saved = args[0] === "--sentinel" ? args : ["--save", "", ...args];
  const { url } = await startRedis(t, (command, folder, port) => {
    const file = join(folder, "redis.conf");
    writeFileSync(file, `bind 127.0.0.1\nport ${port}\ndir "${folder}"\n${cluster}`);
    const opening = () => connectRedis("URL", `redis://127.0.0.1:${port}`, 1_000);
    const ready = async () => (await outcome(opening())) === "accepted";
    return { name: "redis", command, args: [file, ...saved], env: process.env, ready };
  });
  return url;
}
