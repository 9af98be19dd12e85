import { openSharedClock } from "@faceline/contracts/runtime/clock";
import { configOrExit } from "@faceline/contracts/runtime/config";
import { openProducer } from "@faceline/contracts/runtime/kafka";
import { openKafkaProbe } from "@faceline/contracts/runtime/kafka-probe";
import { openLog } from "@faceline/contracts/runtime/log";
import { newProcessId, notifyReady, stopSignal, waitForAbort } from "@faceline/contracts/runtime/process";
import { connectRedis, connectVolatileRedis } from "@faceline/contracts/runtime/redis";
import { readCatalogue } from "@faceline/models/catalogue";
import { openAnswerInbox } from "./answer-inbox.ts";
import { findFaces } from "./calls.ts";
import { openCancelOutbox } from "./cancel-outbox.ts";
import { IngressConfig } from "./config.ts";
import { buildApp } from "./http/app.ts";
import { openClaims } from "./idempotency/claims.ts";
import { openImageOutbox } from "./image-outbox.ts";
import { openKeys } from "./keys.ts";
import { openEntrance } from "./limits/entrance.ts";
import { openPoolInbox } from "./pool-inbox.ts";
import { openTaskOutbox } from "./task-outbox.ts";

const stop = stopSignal();
const config = configOrExit(IngressConfig, process.env);
const id = newProcessId("ingress");
const log = openLog("ingress", config.LOG_LEVEL).child({ ingress: id });

await using redis = await connectVolatileRedis(config, { gathers: true, log });
await using durable = await connectRedis(
  "REDIS_DURABLE_URL",
  config.REDIS_DURABLE_URL,
  config.REDIS_COMMAND_MS,
);
await using clock = await openSharedClock(redis);
await using probe = await openKafkaProbe(config, id);
await using producer = await openProducer(config, id);
using tasks = openTaskOutbox({
  producer,
  reachable: () => probe.ask(),
  requestMs: config.KAFKA_REQUEST_MS,
});
await using pools = await openPoolInbox({ config, pools: config.POOLS, clock, log });
// Subscribed before it serves: a fast worker must not answer into an empty room.
await using answers = await openAnswerInbox({ config, ingress: id, redis, log });
await using keys = await openKeys({ durable, config, clock, log });
await using entrance = openEntrance(redis, id);
await using claims = openClaims(redis, clock, config);
const parts = {
  clock,
  ingress: id,
  pools,
  answers,
  images: openImageOutbox(redis, config.IMAGES_IN_FLIGHT_BYTES_MAX),
  tasks,
  cancels: openCancelOutbox(redis),
  log,
};
const app = buildApp(
  {
    clock,
    findFaces: (call) => findFaces(parts, call),
    findKey: keys.find,
    enter: entrance.enter,
    claim: claims.claim,
    poolStates: () => pools.fresh(),
    checks: async () => ({ kafka: await probe.reachable(), redis: redis.usable }),
    serving: () => answers.connected() && !stop.aborted,
    unexpected: (error, requestId) => log.error({ requestId, error: (error as Error).stack }, "a bug"),
  },
  config,
  await readCatalogue(),
);
await app.listen({ host: config.HOST, port: config.PORT });
// Closed first: takes no new call, and lets those in flight end.
await using _calls = {
  async [Symbol.asyncDispose]() {
    await within(config.DRAIN_WITHIN_MS, app.close());
    app.server.closeAllConnections();
  },
};

log.info({ address: app.listeningOrigin }, "ready");
notifyReady();
await waitForAbort(stop);

/** What has not ended by then is cut off. */
async function within(ms: number, ending: Promise<unknown>): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
  await Promise.race([ending, late]);
}
