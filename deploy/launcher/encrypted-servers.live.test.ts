// Covers runtime/src/tls-options.ts and connect-fault.ts, on servers as operators run theirs.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { createServer, type Server } from "node:tls";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig, openAdmin } from "@faceline/runtime/kafka";
import { openConsumer } from "@faceline/runtime/kafka-consumer";
import { openProducer } from "@faceline/runtime/kafka-producer";
import { openLog } from "@faceline/runtime/log";
import { connectVolatileRedis, VolatileRedisConfig } from "@faceline/runtime/redis";
import { subscribe } from "@faceline/runtime/redis-subscription";
import { type Certificates, makeCertificates } from "../testing/certificates.ts";
import { waitUntil } from "../testing/wait-until.ts";
import { Child, type Program } from "./child.ts";
import { brokerSettings, type kafkaBroker, kafkaProgram } from "./kafka-broker.ts";
import { findJava } from "./java-install.ts";
import { freePorts } from "./ports.ts";
import { findRedis } from "./redis-install.ts";
import { volatileRedis } from "./redis-server.ts";
import { volatileUsers } from "./redis-users.ts";
import { newPassword } from "./secrets.ts";
import { LauncherConfig } from "./settings.ts";
import { openStateFolder, repository } from "./state-folder.ts";

const never = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), "faceline-tls-"));
const running: Child[] = [];
const secret = newPassword();
const passwordFile = join(folder, "password");
const wrongPasswordFile = join(folder, "wrong-password");
writeFileSync(passwordFile, `${secret}\n`, { mode: 0o600 });
writeFileSync(wrongPasswordFile, "guessed-word\n", { mode: 0o600 });

let certificates: Certificates;
let kafkaEnv: NodeJS.ProcessEnv;
let redisEnv: NodeJS.ProcessEnv;
let plainPort: number;

before(async () => {
  certificates = await makeCertificates(folder);
  const [kafkaPort = 0, controllerPort = 0, tlsPort = 0, redisPort = 0] = await freePorts(4);
  const { FACELINE_STATE } = readConfig(LauncherConfig, process.env);
  const state = openStateFolder(resolve(repository, FACELINE_STATE), join(folder, "state"));
  const start = async (program: Program) => {
    const child = new Child(program, () => {});
    running.push(child);
    await child.ready(600_000, never);
  };
  const { ca, client } = certificates;
  plainPort = redisPort;
  redisEnv = {
    REDIS_VOLATILE_URL: `rediss://batcher@127.0.0.1:${tlsPort}`,
    REDIS_VOLATILE_PASSWORD_FILE: passwordFile,
    REDIS_TLS_CA_FILE: ca,
    REDIS_TLS_CERTIFICATE_FILE: client.certificate,
    REDIS_TLS_KEY_FILE: client.key,
  };
  kafkaEnv = {
    KAFKA_BROKERS: `127.0.0.1:${kafkaPort}`,
    KAFKA_TLS: "on",
    KAFKA_TLS_CA_FILE: ca,
    KAFKA_TLS_CERTIFICATE_FILE: client.certificate,
    KAFKA_TLS_KEY_FILE: client.key,
    KAFKA_SASL_MECHANISM: "scram-sha-256",
    KAFKA_SASL_USERNAME: "faceline",
    KAFKA_SASL_PASSWORD_FILE: passwordFile,
  };
  const redis = (await findRedis(state.redis, never)).command;
  const users = Object.entries(volatileUsers).map(([user, rights]) => ({ user, password: secret, rights }));
  const options = { port: redisPort, memoryMaxMib: 64, users, probe: "launcher" };
  await start(volatileRedis(redis, state.volatile, options));
  await terminateTls(tlsPort, redisPort);
  const { command: java } = await findJava(state.java, never);
  const broker = { java, libs: state.kafkaLibs, folder: state.kafka };
  await start(await tlsKafka({ ...broker, port: kafkaPort, controllerPort, heapMib: 256, stop: never }));
});

after(async () => {
  for (const child of running) child.kill("SIGKILL");
  await Promise.all(running.map((child) => child.ended));
  rmSync(folder, { recursive: true });
});

test("Kafka with TLS, client certificates and SCRAM is used, by address and by name", async () => {
  const warnings: string[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning.message);
  process.on("warning", onWarning);
  const { KAFKA_BROKERS: address = "" } = kafkaEnv;
  for (const KAFKA_BROKERS of [address, address.replace("127.0.0.1", "localhost")]) {
    const config = readConfig(KafkaConfig, { ...kafkaEnv, KAFKA_BROKERS });
    const topic = `test.${randomBytes(6).toString("hex")}`;
    await using admin = await openAdmin(config);
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
    await using producer = await openProducer(config, "test");
    await producer.send(topic, 0, "over TLS");
    const received = Promise.withResolvers<string>();
    await using _consumer = await openConsumer(config, {
      topic,
      group: `g-${topic}`,
      clientId: "test",
      log: openLog("test", "silent"),
      onAssignment: () => {},
      onFatalError: (error) => received.reject(error),
      onMessages: (_partition, messages) => received.resolve(String(messages[0]!.value)),
    });
    assert.equal(await received.promise, "over TLS");
  }
  process.off("warning", onWarning);
  // Node warns of an IP address as the name of a TLS server.
  assert.deepEqual(warnings, []);
});

test("Redis with TLS, client certificates and a user is used, also for channels", async () => {
  const { REDIS_VOLATILE_URL: address = "" } = redisEnv;
  for (const REDIS_VOLATILE_URL of [address, address.replace("127.0.0.1", "localhost")]) {
    const config = readConfig(VolatileRedisConfig, { ...redisEnv, REDIS_VOLATILE_URL });
    await using redis = await connectVolatileRedis(config);
    const received: string[] = [];
    await using _subscription = await subscribe(config, ["reports:p"], (message) =>
      received.push(message.toString()),
    );
    await redis.publish("reports:p", "over TLS");
    await waitUntil("the message arrives", () => received.length > 0);
    assert.equal(await redis.set("answer:1", "over TLS"), "OK");
  }
});

test("a Redis with TLS at a redis:// address, and one without at rediss://, is told with what to write", async () => {
  const { REDIS_VOLATILE_URL: tls = "" } = redisEnv;
  for (const [REDIS_VOLATILE_URL, write] of [
    [tls.replace("rediss:", "redis:"), "has TLS, write rediss://"],
    [`rediss://127.0.0.1:${plainPort}`, "has no TLS, write redis://"],
  ] as const) {
    const config = readConfig(VolatileRedisConfig, { ...redisEnv, REDIS_VOLATILE_URL });
    await assert.rejects(connectVolatileRedis(config), ({ message }: Error) =>
      message.endsWith(`; if the server there ${write}`),
    );
  }
});

const kafkaFaults: [string, () => NodeJS.ProcessEnv, string][] = [
  [
    "a wrong password",
    () => ({ KAFKA_SASL_PASSWORD_FILE: wrongPasswordFile }),
    "KAFKA_BROKERS: the server refuses the user or the password; " +
      "correct KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD_FILE or KAFKA_SASL_MECHANISM",
  ],
  [
    "a wrong CA",
    () => ({ KAFKA_TLS_CA_FILE: certificates.otherCa }),
    "KAFKA_BROKERS: the certificate of the server is not trusted; correct KAFKA_TLS_CA_FILE",
  ],
  [
    "no client certificate",
    () => ({ KAFKA_TLS_CERTIFICATE_FILE: "", KAFKA_TLS_KEY_FILE: "" }),
    "KAFKA_BROKERS: the server refuses our certificate; correct KAFKA_TLS_CERTIFICATE_FILE and KAFKA_TLS_KEY_FILE",
  ],
];

const redisFaults: [string, () => NodeJS.ProcessEnv, string][] = [
  [
    "a wrong password",
    () => ({ REDIS_VOLATILE_PASSWORD_FILE: wrongPasswordFile }),
    "REDIS_VOLATILE_URL: the server refuses the user or the password; " +
      "correct REDIS_VOLATILE_URL or REDIS_VOLATILE_PASSWORD_FILE",
  ],
  [
    "a wrong CA",
    () => ({ REDIS_TLS_CA_FILE: certificates.otherCa }),
    "REDIS_VOLATILE_URL: the certificate of the server is not trusted; correct REDIS_TLS_CA_FILE",
  ],
  [
    "no client certificate",
    () => ({ REDIS_TLS_CERTIFICATE_FILE: "", REDIS_TLS_KEY_FILE: "" }),
    "REDIS_VOLATILE_URL: the server refuses our certificate; " +
      "correct REDIS_TLS_CERTIFICATE_FILE and REDIS_TLS_KEY_FILE",
  ],
  [
    "a password in the address and in a file",
    () => ({
      REDIS_VOLATILE_URL: redisEnv["REDIS_VOLATILE_URL"]!.replace("batcher@", "batcher:guessed-word@"),
    }),
    "REDIS_VOLATILE_URL: the password is in it and in REDIS_VOLATILE_PASSWORD_FILE; leave one of them out",
  ],
];

for (const [name, env, sentence] of [...kafkaFaults, ...redisFaults]) {
  const server = sentence.startsWith("KAFKA") ? "Kafka" : "Redis";
  test(`${name} for ${server} ends a service with one sentence, without stack or secret`, async () => {
    const printed = await runBatcher({ ...redisEnv, ...kafkaEnv, ...env() });
    // Where the client library says so, with the code of the reason.
    assert.equal(printed.replace(/ \([A-Z_]+\)/, ""), `${sentence}\n`);
    assert.ok(!printed.includes(secret) && !printed.includes("guessed-word"));
  });
}

/** The output of a batcher that cannot start. */
function runBatcher(env: NodeJS.ProcessEnv): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const main = join(repository, "batcher", "src", "main.ts");
  const own = /^(KAFKA|REDIS)_/;
  const rest = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
  execFile(
    process.execPath,
    [main],
    { env: { ...rest, ...env, LOG_LEVEL: "error" }, timeout: 600_000 },
    (_error, stdout, stderr) => resolve(stdout + stderr),
  );
  return promise;
}

/**
 * TLS in front of a Redis, which asks for client certificates: the server of this machine may have been built
 * without TLS.
 */
async function terminateTls(port: number, redisPort: number): Promise<Server> {
  const [cert, key, ca] = [certificates.server.certificate, certificates.server.key, certificates.ca].map(
    (file) => readFileSync(file),
  );
  const server = createServer({ cert, key, ca, requestCert: true }, (client) => {
    const redis = connect(redisPort, "127.0.0.1");
    for (const socket of [client, redis]) socket.on("error", () => {});
    client.pipe(redis).pipe(client);
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  return server.unref();
}

function tlsKafka(options: Omit<Parameters<typeof kafkaBroker>[0], "login">): Promise<Program> {
  const { server, ca } = certificates;
  const login = { user: "faceline", password: secret };
  // Kafka reads the key and the chain of certificates from one file.
  const keyStore = join(folder, "kafka.pem");
  writeFileSync(keyStore, readFileSync(server.key, "utf8") + readFileSync(server.certificate, "utf8"), {
    mode: 0o600,
  });
  const scram = `org.apache.kafka.common.security.scram.ScramLoginModule required username="${login.user}" password="${login.password}";`;
  return kafkaProgram(
    "kafka-tls",
    {
      ...options,
      formatArgs: ["--add-scram", `SCRAM-SHA-256=[name=${login.user},password=${login.password}]`],
    },
    {
      ...brokerSettings({ ...options, login }),
      "listener.security.protocol.map": "CLIENTS:SASL_SSL,CONTROLLER:SASL_PLAINTEXT",
      "sasl.enabled.mechanisms": "SCRAM-SHA-256,PLAIN",
      "sasl.mechanism.inter.broker.protocol": "SCRAM-SHA-256",
      "listener.name.clients.sasl.enabled.mechanisms": "SCRAM-SHA-256",
      "listener.name.controller.sasl.enabled.mechanisms": "PLAIN",
      "listener.name.clients.scram-sha-256.sasl.jaas.config": scram,
      // Without the name of the listener it would not count where there is SASL.
      "listener.name.clients.ssl.client.auth": "required",
      "ssl.keystore.type": "PEM",
      "ssl.keystore.location": keyStore,
      "ssl.truststore.type": "PEM",
      "ssl.truststore.location": ca,
    },
  );
}
