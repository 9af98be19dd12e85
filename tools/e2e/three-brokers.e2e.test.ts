import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import test from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig, openAdmin } from "@faceline/runtime/kafka";
import { tasksTopic } from "@faceline/contracts/wire/names";
import { Child } from "@faceline/deploy/launcher/child";
import {
  brokerSettings,
  kafkaProgram,
  newClusterId,
  plainLogin,
} from "@faceline/deploy/launcher/kafka-broker";
import { findJava } from "@faceline/deploy/launcher/java-install";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { newPassword } from "@faceline/deploy/launcher/secrets";
import { kafkaUser } from "@faceline/deploy/launcher/server-access";
import { LauncherConfig } from "@faceline/deploy/launcher/settings";
import { openStateFolder, repository } from "@faceline/deploy/launcher/state-folder";
import { portraits } from "@faceline/testing/faces";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { startStack } from "./stack/stack.ts";

const run = process.env["FACELINE_TEST_RUN"] ?? "";
const passwordFile = process.env["KAFKA_SASL_PASSWORD_FILE"] ?? "";
const skip = !passwordFile.startsWith(`${run}/`) && "Kafka was not started by this test run";
const never = new AbortController().signal;
/** Calls that have to succeed one after another before the service counts as back. */
const callsInRow = 20;

test("when one of three brokers is killed, calls go on or are refused, and then all are served", {
  skip,
}, async (t) => {
  // The stack needs its brokers until it has stopped.
  await using opened = new AsyncDisposableStack();
  const { brokers, addresses } = await startCluster(opened);
  const after = (done: () => Promise<void>) => opened.defer(done);
  const { postOnce, pool } = await startStack(
    { after },
    {
      settings: {
        KAFKA_BROKERS: addresses,
        TOPIC_REPLICATION_FACTOR: "3",
        TOPIC_MIN_INSYNC_REPLICAS: "2",
        ENGINE: "model:20+5b",
      },
    },
  );
  const img = (await portraits())[0]!.toString("base64");
  const call = async () => (await postOnce("/represent", { img })).status;
  assert.equal(await call(), 200);

  // The broker through which every task passes.
  const leader = await leaderOf(addresses, tasksTopic(pool));
  const inFlight = Array.from({ length: callsInRow }, call);
  brokers.get(leader)!.kill("SIGKILL");

  const statuses: number[] = [];
  await waitUntil(`${callsInRow} calls in a row are served`, async () => {
    statuses.push(await call());
    return statuses.length >= callsInRow && statuses.slice(-callsInRow).every((status) => status === 200);
  });
  const served = statuses.length - callsInRow;
  t.diagnostic(
    `before ${callsInRow} calls in a row were served, ${served} calls: ${[...Map.groupBy(statuses.slice(0, served), String)].map(([status, all]) => `${all.length} × ${status}`).join(", ")}`,
  );
  for (const status of [...statuses, ...(await Promise.all(inFlight))]) {
    assert.ok([200, 503].includes(status), `${status}`);
  }
  assert.notEqual(await leaderOf(addresses, tasksTopic(pool)), leader);
});

async function leaderOf(addresses: string, topic: string): Promise<number> {
  await using admin = await openAdmin(readConfig(KafkaConfig, { ...process.env, KAFKA_BROKERS: addresses }));
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  const [partition] = topics[0]!.partitions;
  assert.equal(partition!.replicas.length, 3);
  return partition!.leader;
}

/** Three brokers, each its own controller, with the user and the password of the test run's broker. */
async function startCluster(
  opened: AsyncDisposableStack,
): Promise<{ brokers: Map<number, Child>; addresses: string }> {
  const { FACELINE_STATE } = readConfig(LauncherConfig, process.env);
  const { kafkaLibs: libs, java: fetchedJava } = openStateFolder(resolve(repository, FACELINE_STATE), run);
  const { command: java } = await findJava(fetchedJava, never);
  const login = { user: kafkaUser, password: readFileSync(passwordFile, "utf8").trim() };
  const peer = { user: "broker", password: newPassword() };
  const clusterId = newClusterId();
  const ids = [1, 2, 3];
  const ports = await freePorts(ids.length * 2);
  const controllerPort = (id: number): number => ports[ids.length + id - 1]!;
  const voters = ids.map((id) => `${id}@127.0.0.1:${controllerPort(id)}`).join(",");

  const brokers = new Map<number, Child>();
  opened.defer(async () => {
    for (const child of brokers.values()) child.kill("SIGKILL");
    await Promise.all([...brokers.values()].map((child) => child.ended));
  });
  for (const id of ids) {
    const folder = join(run, `kafka-${id}`);
    await mkdir(folder, { mode: 0o700 });
    const port = ports[id - 1]!;
    const options = { java, libs, folder, port, heapMib: 256, stop: never, clusterId, login };
    const program = await kafkaProgram(`kafka-${id}`, options, {
      ...brokerSettings({ ...options, controllerPort: controllerPort(id) }),
      "node.id": id,
      "controller.quorum.voters": voters,
      "listener.name.clients.plain.sasl.jaas.config": plainLogin(peer, [peer, login]),
      "listener.name.controller.plain.sasl.jaas.config": plainLogin(peer, [peer]),
      "offsets.topic.replication.factor": 3,
      "transaction.state.log.replication.factor": 3,
      "share.coordinator.state.topic.replication.factor": 3,
    });
    brokers.set(id, new Child(program, () => {}));
  }
  await Promise.all([...brokers.values()].map((child) => child.ready(120_000, never)));
  return { brokers, addresses: ids.map((id) => `127.0.0.1:${ports[id - 1]}`).join(",") };
}
