import { connectKafka, type KafkaConfig, kafkaClient } from "./kafka.ts";

/** How long the result of a probe is reused, so that frequent health checks do not load the broker. */
const probeAgeMaxMs = 1_000;

/**
 * Returns a probe that asks the brokers on demand whether they are reachable. Throws when the first
 * connection fails.
 */
export async function openKafkaProbe(config: KafkaConfig, clientId: string): Promise<KafkaProbe> {
  const admin = kafkaClient(config, `${clientId}-probe`).admin();
  await connectKafka(admin);
  let lastProbe: { at: number; result: Promise<boolean> } | undefined;
  const probe = () =>
    admin.describeCluster().then(
      () => true,
      () => false,
    );
  return {
    probe,
    reachable() {
      const now = performance.now();
      if (lastProbe === undefined || now - lastProbe.at > probeAgeMaxMs) {
        lastProbe = { at: now, result: probe() };
      }
      return lastProbe.result;
    },
    [Symbol.asyncDispose]: () => admin.disconnect(),
  };
}

type KafkaProbe = AsyncDisposable & {
  /** Sends a request now. Resolves to whether a broker answered; never rejects. */
  probe(): Promise<boolean>;
  /** Like `probe`, but reuses a result that is a second old at most. */
  reachable(): Promise<boolean>;
};
