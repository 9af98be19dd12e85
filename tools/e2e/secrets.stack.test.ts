import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import test from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig, openAdmin } from "@faceline/runtime/kafka";
import { repository, secretsFolder } from "@faceline/deploy/launcher/state-folder";
import { portraits } from "@faceline/testing/faces";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { filesBelow, unlessGone } from "./stack/disk-search.ts";
import { startStack } from "./stack/stack.ts";

const run = process.env["FACELINE_TEST_RUN"] ?? "";
const secrets = secretsFolder(run);
const skip =
  (process.env["KAFKA_SASL_PASSWORD_FILE"]?.startsWith(secrets) !== true ||
    process.env["REDIS_VOLATILE_URL"]?.includes("//test:") !== true) &&
  "Kafka and Redis were not started by this test run";

test("passwords are in private files alone: in no argument, environment or log", { skip }, async (t) => {
  const { address, post, key, services } = await startStack(t);
  // Every user is at work: ingress, batcher and worker.
  const img = (await portraits())[0]!.toString("base64");
  assert.equal((await post("/represent", { img })).status, 200);
  await waitUntil("/health is green", async () => (await fetch(`${address}/health`)).status === 200);

  const passwords = readdirSync(secrets).map((file) => readFileSync(join(secrets, file), "utf8").trim());
  assert.equal(new Set(passwords).size, passwords.length);
  assert.ok(passwords.every((password) => password.length === 43));
  const properties = join(run, "kafka", "server.properties");
  const [, brokerPassword = ""] = /user_broker="([^"]+)"/.exec(readFileSync(properties, "utf8")) ?? [];
  const secretTexts = [...passwords, brokerPassword];
  const namesOne = (text: string) => secretTexts.some((secret) => text.includes(secret));

  for (const pid of faceline()) {
    const [argv, environment] = ["cmdline", "environ"].map((file) =>
      readFileSync(`/proc/${pid}/${file}`, "utf8"),
    );
    assert.ok(!namesOne(argv!), `arguments of ${argv!.replaceAll("\0", " ")}`);
    assert.ok(!namesOne(environment!), `environment of ${argv!.replaceAll("\0", " ")}`);
  }
  await services[Symbol.asyncDispose]();
  const holding: string[] = [];
  // Brokers that other tests have started have folders of their own.
  const files = (await filesBelow(run)).filter((file) => !file.startsWith(join(run, "broker-")));
  for (const file of files) {
    if (namesOne((await unlessGone(readFile(file, "latin1"))) ?? "")) holding.push(file);
  }
  assert.deepEqual(
    holding.filter((file) => !file.startsWith(secrets)).map((file) => relative(run, file)),
    ["kafka/server.properties"],
  );
  for (const file of holding) assert.equal(statSync(file).mode & 0o777, 0o600, file);
  for (const folder of [run, secrets, join(run, "kafka")])
    assert.equal(statSync(folder).mode & 0o077, 0, folder);
  assert.ok(!namesOne(key));
});

test("without its password Kafka takes nobody, at neither of its ports", { skip }, async () => {
  const properties = readFileSync(join(run, "kafka", "server.properties"), "utf8");
  const [, controller] = /CONTROLLER:\/\/(127\.0\.0\.1:\d+)/.exec(properties) ?? [];
  const { KAFKA_SASL_PASSWORD_FILE, ...env } = process.env;
  for (const KAFKA_BROKERS of [env["KAFKA_BROKERS"], controller]) {
    const nobody = readConfig(KafkaConfig, { ...env, KAFKA_BROKERS, KAFKA_SASL_MECHANISM: "" });
    // Without credentials a client may ask which versions the broker speaks, and nothing else.
    await assert.rejects(listTopics(nobody), /Closed connection|does not support|write after end/);
    const wrong = readConfig(KafkaConfig, { ...env, KAFKA_BROKERS, KAFKA_SASL_PASSWORD: "guessed" });
    await assert.rejects(listTopics(wrong), (error: Error) => {
      assert.match(
        error.message,
        /^KAFKA_BROKERS: the server refuses the user or the password; correct KAFKA_SASL/,
      );
      return !error.message.includes("guessed");
    });
  }
  // Nor do the services' credentials open the controller.
  const { KAFKA_SASL_PASSWORD_FILE: _, ...config } = readConfig(KafkaConfig, process.env);
  const password = readFileSync(KAFKA_SASL_PASSWORD_FILE!, "utf8").trim();
  await assert.rejects(
    listTopics({ ...config, KAFKA_BROKERS: controller!, KAFKA_SASL_PASSWORD: password }),
    /the server refuses the user or the password/,
  );
});

async function listTopics(config: KafkaConfig): Promise<string[]> {
  await using admin = await openAdmin(config);
  return admin.listTopics();
}

/** Process ids of the servers of this run, and of the services of the test. */
function faceline(): number[] {
  const record = readFileSync(join(run, "processes.json"), "utf8");
  const { running } = JSON.parse(record) as { running: { pid: number }[] };
  const service = new RegExp(`${repository}/(ingress|batcher|inference)/src/main\\.ts`);
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const services = pids.map(Number).filter((pid) => {
    try {
      return service.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
    } catch {
      // It has ended.
      return false;
    }
  });
  // Beside each service a shell waits for the end of its starter, with the same arguments and environment.
  assert.deepEqual([running.length, services.length], [3, 6]);
  return [...running.map(({ pid }) => pid), ...services];
}
