import { setTimeout as sleep } from "node:timers/promises";
import { type KafkaConfig, openAdmin } from "@faceline/runtime/kafka";
import { poolTopics, type WantedTopic } from "@faceline/runtime/pool-topics";
import { batcherGroup, batchesTopic, inferenceGroup, tasksTopic } from "@faceline/contracts/wire/names";
import type { LauncherConfig } from "./settings.ts";

/**
 * Creates the missing topics of a pool, and waits until its consumer groups can be joined: for a while after
 * its first start, a broker answers "coordinator not available". Throws after `withinMs`. Returns a sentence
 * for each difference between a topic that existed and its settings here, which are not changed.
 */
export async function createTopics(config: KafkaConfig, options: TopicOptions): Promise<string[]> {
  return retryUntilDone(options, async () => {
    await using admin = await openAdmin(config);
    const existing = new Set(await admin.listTopics());
    const [present, topics] = [true, false].map((exists) =>
      options.topics.filter(({ topic }) => existing.has(topic) === exists),
    ) as [WantedTopic[], WantedTopic[]];
    // The client's own wait for leaders begins with an error, and costs its back-off.
    if (topics.length > 0) await admin.createTopics({ topics, waitForLeaders: false });
    for (const group of [batcherGroup(options.pool), inferenceGroup(options.pool)]) {
      await admin.fetchOffsets({ groupId: group, topics: [tasksTopic(options.pool)] });
    }
    const found = await readTopics(admin, present);
    const brokers = { addresses: config.KAFKA_BROKERS, dataFolder: options.dataFolder };
    return present.flatMap((wanted) => topicDifferences(wanted, found.get(wanted.topic)!, brokers));
  });
}

async function readTopics(admin: Admin, wanted: WantedTopic[]): Promise<Map<string, FoundTopic>> {
  if (wanted.length === 0) return new Map();
  const { topics } = await admin.fetchTopicMetadata({ topics: wanted.map(({ topic }) => topic) });
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: wanted.map(({ topic, configEntries }) => ({
      type: topicResource,
      name: topic,
      configNames: configEntries.map(({ name }) => name),
    })),
  });
  return new Map(
    topics.map(({ name, partitions }) => {
      const entries = resources.find((each) => each.resourceName === name)?.configEntries ?? [];
      const settings = Object.fromEntries(entries.map((entry) => [entry.configName, entry.configValue]));
      const replicas = Math.min(...partitions.map((each) => each.replicas.length));
      return [name, { partitions: partitions.length, replicas, settings }];
    }),
  );
}

/**
 * Returns a sentence for each way in which a topic differs from what `npm start` would create, with the
 * command that corrects it. `dataFolder`: the data of a broker that the launcher has started, which come
 * without Kafka's scripts and hold nothing of worth once the services have stopped.
 */
export function topicDifferences(wanted: WantedTopic, found: FoundTopic, brokers: Brokers): string[] {
  const { topic, numPartitions, replicationFactor, configEntries } = wanted;
  const { addresses, dataFolder } = brokers;
  const server = `--bootstrap-server ${addresses}`;
  const alter = `kafka-topics.sh ${server} --alter --topic ${topic} --partitions ${numPartitions}`;
  const remove = `kafka-topics.sh ${server} --delete --topic ${topic}`;
  const correct = (command: string, after = ""): string =>
    dataFolder === undefined
      ? `correct it with \`${command}\`${after}`
      : `stop Faceline and \`rm -r ${dataFolder}\``;
  const again = " while Faceline is stopped, and start it again";

  const sentences: string[] = [];
  if (found.partitions !== numPartitions) {
    const command = found.partitions < numPartitions ? correct(alter) : correct(remove, again);
    sentences.push(
      `topic ${topic} has partitions=${found.partitions} instead of ${numPartitions}: ${command}`,
    );
  }
  if (replicationFactor !== undefined && found.replicas !== replicationFactor) {
    const fault = `replicas=${found.replicas} instead of ${replicationFactor} (TOPIC_REPLICATION_FACTOR)`;
    sentences.push(`topic ${topic} has ${fault}: ${correct(remove, again)}`);
  }
  for (const { name, value } of configEntries) {
    const present = found.settings[name];
    if (present === value) continue;
    const entity = `--entity-type topics --entity-name ${topic}`;
    const command = `kafka-configs.sh ${server} --alter ${entity} --add-config ${name}=${value}`;
    sentences.push(`topic ${topic} has ${name}=${present} instead of ${value}: ${correct(command)}`);
  }
  return sentences;
}

/** Deletes the topics of a test's pool. */
export async function deleteTopics(config: KafkaConfig, pool: string): Promise<void> {
  await using admin = await openAdmin(config);
  await admin.deleteTopics({ topics: [tasksTopic(pool), batchesTopic(pool)] });
}

async function retryUntilDone<T>({ withinMs, stop }: TopicOptions, work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    try {
      return await work();
    } catch (cause) {
      stop.throwIfAborted();
      if (performance.now() > giveUpAt) {
        const reason = (cause as Error).message.replace(/^KAFKA_BROKERS: /, "");
        throw new Error(`KAFKA_BROKERS: no topics could be created there: ${reason}`, { cause });
      }
      await sleep(retryEveryMs, undefined, { signal: stop });
    }
  }
}

/** The protocol's number of the resource type (KIP-133). */
const topicResource = 2;
const retryEveryMs = 100;

export const topicOptions = (
  config: LauncherConfig,
  pool: string,
  stop: AbortSignal,
  dataFolder?: string,
): TopicOptions => ({
  pool,
  topics: poolTopics(config, pool),
  dataFolder: config.KAFKA_BROKERS === undefined ? dataFolder : undefined,
  withinMs: config.READY_WITHIN_MS,
  stop,
});

type TopicOptions = {
  pool: string;
  topics: WantedTopic[];
  /** The data of the broker, where the launcher has started it. */
  dataFolder: string | undefined;
  withinMs: number;
  stop: AbortSignal;
};

type Admin = Awaited<ReturnType<typeof openAdmin>>;

type Brokers = { addresses: string; dataFolder: string | undefined };

/** `replicas`: of the partition with the fewest. */
export type FoundTopic = { partitions: number; replicas: number; settings: Record<string, string> };
