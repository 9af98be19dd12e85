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
  const again = " when no call runs, and start Faceline again";

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

type Brokers = { addresses: string; dataFolder: string | undefined };

export type WantedTopic = {
  topic: string;
  numPartitions: number;
  replicationFactor?: number;
  configEntries: { name: string; value: string }[];
};

/** `replicas`: of the partition with the fewest. */
export type FoundTopic = { partitions: number; replicas: number; settings: Record<string, string> };
