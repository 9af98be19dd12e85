import { type KafkaConfig, kafkaClient } from "./kafka.ts";

/** What a probe found counts for so long: asking costs the broker little, being asked often should too. */
const lastsMs = 1_000;

/** Whether the brokers answer, asked when somebody wants to know. */
export async function openKafkaProbe(config: KafkaConfig, clientId: string): Promise<KafkaProbe> {
  const admin = kafkaClient(config, `${clientId}-probe`).admin();
  await admin.connect();
  let asked: { at: number; reachable: Promise<boolean> } | undefined;
  const ask = () =>
    admin.describeCluster().then(
      () => true,
      () => false,
    );
  return {
    ask,
    reachable() {
      const now = performance.now();
      if (asked === undefined || now - asked.at > lastsMs) asked = { at: now, reachable: ask() };
      return asked.reachable;
    },
    [Symbol.asyncDispose]: () => admin.disconnect(),
  };
}

type KafkaProbe = AsyncDisposable & {
  /** Asks now. */
  ask(): Promise<boolean>;
  /** Says what was found a second ago at most. */
  reachable(): Promise<boolean>;
};
