// Covers "Replace a password" of docs/operating/secrets.md, on a server of its own.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { test } from "node:test";
import { connectRedis, type RedisConnection } from "@faceline/runtime/redis";
import { startRedis } from "../testing/redis-server.ts";
import { volatileRedis } from "./redis-server.ts";
import { volatileUsers } from "./redis-users.ts";
import { newPassword } from "./secrets.ts";

const commandMs = 2_000;

test("a password of Redis is replaced without a failed command, and the old one ends", async (t) => {
  const [before, after, ofAdmin] = [newPassword(), newPassword(), newPassword()];
  const users = Object.entries(volatileUsers).map(([user, rights]) => ({ user, password: before, rights }));
  const { port } = await startRedis(t, (command, folder, port) => {
    const program = volatileRedis(command, folder, { port, memoryMaxMib: 64, users, probe: "launcher" });
    // An operator's own user: none of ours may change users.
    appendFileSync(program.args[0]!, `user admin on >${ofAdmin} &* ~* +@all\n`);
    return program;
  });

  const open = (user: string, password: string): Promise<RedisConnection> =>
    connectRedis("REDIS_VOLATILE_URL", `redis://${user}@127.0.0.1:${port}`, commandMs, { password });
  await using admin = await open("admin", ofAdmin);
  const useOnce = async (client: RedisConnection) => assert.equal(await client.set("image:1", "bytes"), "OK");

  // 1. Both passwords are valid. 2. Processes start again with the new one. 3. The old one ends.
  const oldProcess = await open("ingress", before);
  await useOnce(oldProcess);
  await admin.acl("SETUSER", "ingress", `>${after}`);
  await using newProcess = await open("ingress", after);
  for (const client of [oldProcess, newProcess]) await useOnce(client);
  await oldProcess[Symbol.asyncDispose]();
  await admin.acl("SETUSER", "ingress", `!${createHash("sha256").update(before).digest("hex")}`);
  await useOnce(newProcess);
  await assert.rejects(open("ingress", before), /the server refuses the user or the password/);
});
