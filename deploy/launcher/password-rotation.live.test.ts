// Covers "Replace a password" of docs/operating/secrets.md, on a server of its own.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { connectRedis, type RedisConnection } from "@faceline/runtime/redis";
import { Child } from "./child.ts";
import { freePorts } from "./ports.ts";
import { findRedis } from "./redis-install.ts";
import { volatileRedis } from "./redis-server.ts";
import { volatileUsers } from "./redis-users.ts";
import { newPassword } from "./secrets.ts";
import { LauncherConfig } from "./settings.ts";
import { openStateFolder, repository } from "./state-folder.ts";

const never = new AbortController().signal;
const commandMs = 2_000;

test("a password of Redis is replaced without a failed command, and the old one ends", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "faceline-rotation-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [port = 0] = await freePorts(1);
  const [before, after, ofAdmin] = [newPassword(), newPassword(), newPassword()];
  const users = Object.entries(volatileUsers).map(([user, rights]) => ({ user, password: before, rights }));
  const { FACELINE_STATE } = readConfig(LauncherConfig, process.env);
  const state = openStateFolder(resolve(repository, FACELINE_STATE), join(folder, "state"));
  const { command } = await findRedis(state.redis, never);
  const program = volatileRedis(command, state.volatile, {
    port,
    memoryMaxMib: 64,
    users,
    probe: "launcher",
  });
  // An operator's own user: none of ours may change users.
  appendFileSync(program.args[0]!, `user admin on >${ofAdmin} &* ~* +@all\n`);
  const server = new Child(program, () => {});
  t.after(async () => {
    server.kill("SIGKILL");
    await server.ended;
  });
  await server.ready(600_000, never);

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
