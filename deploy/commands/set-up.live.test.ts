import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { findApiKey, newApiKey } from "@faceline/accounts/keys/api-keys";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig, openAdmin } from "@faceline/runtime/kafka";
import { connectRedis } from "@faceline/runtime/redis";
import { batchesTopic, tasksTopic } from "@faceline/contracts/wire/names";
import { deleteTopics } from "../launcher/topics.ts";

test("servers without topics and keys have them afterwards, and a second run changes nothing", async (t) => {
  const pool = `test-${randomUUID()}`;
  const folder = mkdtempSync(join(tmpdir(), "faceline-set-up-"));
  const kafka = readConfig(KafkaConfig, process.env);
  t.after(async () => {
    rmSync(folder, { recursive: true });
    await deleteTopics(kafka, pool);
  });
  const key = newApiKey();
  const file = join(folder, "key");
  writeFileSync(file, `${key}\n`);
  const settings = { POOL: pool, FIRST_KEY_FILE: file };
  const printed = `the topics of pool ${pool} exist\nteam first has its first key\n`;
  assert.deepEqual(await setUp(settings), { code: 0, text: printed });
  assert.deepEqual(await setUp(settings), { code: 0, text: printed });

  await using admin = await openAdmin(kafka);
  const topics = await admin.listTopics();
  assert.ok(topics.includes(tasksTopic(pool)) && topics.includes(batchesTopic(pool)));
  await using redis = await connectRedis("REDIS_DURABLE_URL", process.env["REDIS_DURABLE_URL"] ?? "", 1_000);
  const found = await findApiKey(redis, createHash("sha256").update(key).digest("hex"));
  assert.equal(found?.key.team, "first");
});

test("a file that holds no key ends the set-up with a sentence", async (t) => {
  const pool = `test-${randomUUID()}`;
  t.after(() => deleteTopics(readConfig(KafkaConfig, process.env), pool));
  const { code, text } = await setUp({ POOL: pool, FIRST_KEY_FILE: import.meta.filename });
  assert.equal(code, 1);
  assert.match(text, /FIRST_KEY_FILE: the file must hold a key/);
});

function setUp(settings: NodeJS.ProcessEnv): Promise<{ code: number | null; text: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number | null; text: string }>();
  const env = { ...process.env, ...settings };
  const child = execFile(process.execPath, [join(import.meta.dirname, "set-up.ts")], { env }, (_, out, err) =>
    resolve({ code: child.exitCode, text: out + err }),
  );
  return promise;
}
