import { openSharedClock } from "@faceline/runtime/clock";
import { openProducer } from "@faceline/runtime/kafka-producer";
import type { DedupedLog } from "@faceline/runtime/deduped-log";
import { openKafkaMetrics } from "@faceline/runtime/metrics/kafka-metrics";
import { openMetrics } from "@faceline/runtime/metrics/open-metrics";
import { observeDependencies, observeProcess } from "@faceline/runtime/metrics/process-metrics";
import { observeCommands } from "@faceline/runtime/metrics/redis-metrics";
import { openOperatorsPort } from "@faceline/runtime/operators/port";
import { notifyReady, waitForAbort } from "@faceline/runtime/process-lifecycle";
import {
  connectDurableRedis,
  connectVolatileRedis,
  type RedisConnection,
  type VolatileConnection,
} from "@faceline/runtime/redis";
import { warnOfOldServer } from "@faceline/runtime/redis-version";
import { runService } from "@faceline/runtime/service";
import { openTracing } from "@faceline/runtime/tracing/open-tracing";
import { tasksTopic } from "@faceline/contracts/wire/names";
import { addedFolder, type Catalogue, readCatalogue } from "@faceline/models/catalogue";
import { withLocalThresholds } from "@faceline/models/local-thresholds";
import { checkScripts } from "@faceline/web/scripts";
import { openAccounts } from "./accounts/open-accounts.ts";
import { openUsageCounter } from "./accounts/usage-counter.ts";
import { openKeyStore } from "./auth/key-store.ts";
import { logCall } from "./call/call-log.ts";
import { exportCall } from "./call/call-spans.ts";
import type { Ports } from "./call/ports.ts";
import { accountsAreOn, IngressConfig, openAccessWarning, proxyWarning, usageIsCounted } from "./config.ts";
import { dispatchCall } from "./dispatch/dispatch-call.ts";
import { drain } from "./drain.ts";
import { serviceHealth } from "./endpoints/health.ts";
import { SharedBudget } from "./limits/shared-budget.ts";
import { CallLimiter } from "./limits/call-limiter.ts";
import { openVisitorLimiter } from "./limits/visitor-limiter.ts";
import { CallHistory } from "./live/call-history.ts";
import { liveIngress } from "./live/ingress-state.ts";
import { EnabledModels } from "./models/enabled-models.ts";
import { countOpen } from "./open-sockets.ts";
import { openPoolServers } from "./pools/pool-servers.ts";
import { CallStream } from "./recording/call-stream.ts";
import { countCallers } from "./request-metrics.ts";
import { buildServer } from "./server.ts";
import { spanServers } from "./span-servers.ts";
import { openTaskOutbox } from "./task-outbox.ts";
import { warnOfUntrustedProxy } from "./untrusted-proxy.ts";

/**
 * Time after a pause by which the first states of batchers have arrived: they notice within a second that the
 * volatile Redis is back, and publish every 500 ms.
 */
const statesWithinMs = 2_000;

await runService("ingress", IngressConfig, async ({ config, id, log, stop }) => {
  // Unknown models, and pages without their scripts, stop the start before anything is connected.
  const models = new EnabledModels(await catalogueOf(config), config);
  if (config.PAGES === "on") await checkScripts();

  for (const warning of [openAccessWarning(config), proxyWarning(config)]) {
    if (warning !== undefined) log.warn(warning);
  }

  await using tracing = await openTracing({ config, service: "ingress", id, log });
  const page = config.OPERATORS_PORT !== undefined;
  await using metrics = await openMetrics({ config, page, service: "ingress", id, log });
  await using redis = await connectVolatileRedis(config, { log });
  await using imagesRedis = await connectVolatileRedis(config, { untimed: true, whileInUse: false });
  await using durable = await connectDurableRedis(config);
  await warnOfOldServer(log, "REDIS_VOLATILE_URL", redis);
  await warnOfOldServer(log, "REDIS_DURABLE_URL", durable);
  await using clock = await openSharedClock(redis);
  await using producer = await openProducer(config, id, {
    topics: config.POOLS.map(tasksTopic),
    onSent: openKafkaMetrics(metrics, config)?.sent,
  });
  const tasks = openTaskOutbox({ producer, requestMs: config.KAFKA_REQUEST_MS });
  const budget = new SharedBudget(config.IMAGES_IN_FLIGHT_BYTES_MAX);
  metrics.observe("faceline.images.used", () => [[budget.heldBytes, {}]]);
  metrics.observe("faceline.images.max", () => [[config.IMAGES_IN_FLIGHT_BYTES_MAX, {}]]);
  // Subscribed before the server listens: the first answer may come at once.
  await using pools = await openPoolServers({
    config,
    ingress: id,
    shared: { clock, commands: redis, images: imagesRedis },
    budget,
    log,
    ownConnected: (connections) => {
      observeCommands(metrics, "redis-volatile", connections);
      void warnOfOldServer(log, "POOL_REDIS_VOLATILE_URLS", connections[0]!);
    },
  });
  await using keys = await openKeyStore({ durable, config, clock, log });
  await using usage = usageIsCounted(config)
    ? openUsageCounter({ durable, ingress: id, log, metrics })
    : undefined;
  await using teams = new CallLimiter(redis, id);
  await using visitors = openVisitorLimiter(redis, id);
  const poolStates = () => pools.fresh().map(({ state }) => state);

  using observed = observeProcess(metrics, { redis, tracing });
  observeCommands(metrics, "redis-volatile", [redis, imagesRedis]);
  observeCommands(metrics, "redis-durable", [durable]);
  const history = page ? new CallHistory() : undefined;
  const calls = new CallStream();
  const servers = spanServers(config, id);
  let isDraining = false;
  const isServing = () => !isDraining;
  const dependencyHealth = dependencyHealthOf({ redis, imagesRedis, durable, pools, producer });
  observeDependencies(metrics, () => {
    const { kafka, redis: volatile, redisDurable } = dependencyHealth();
    return { kafka, "redis-volatile": volatile, "redis-durable": redisDurable };
  });
  const ownState = () => ({ ...dependencyHealth(), isServing: isServing() });
  const parts = { clock, ingress: id, pools, tasks, ownState, random: Math.random };

  const accounts = accountsAreOn(config)
    ? openAccounts({ durable, redis, settings: config, dedupedLog: log })
    : undefined;
  const drainTimeout = new AbortController();
  const server = buildServer(
    {
      clock,
      dispatch: (call) => dispatchCall(parts, call),
      findKey: keys.find,
      acquireTeamSlot: countCallers(
        (team, limits) => teams.acquire(team, limits),
        metrics,
        config.AUTH === "on" ? "team" : "anonymous",
      ),
      acquireVisitorSlot: countCallers(visitors.acquire, metrics, "visitor"),
      acquireSharedVisitorSlot: visitors.acquireShared,
      poolStates,
      dependencyHealth,
      isServing,
      isStopping: () => stop.aborted,
      metrics,
      drainTimeout: drainTimeout.signal,
      startSpan: tracing.startCall,
      recordCall: (call) => {
        logCall(log, call);
        history?.add(call);
        calls.add(call);
        usage?.count(call);
        exportCall(tracing, call, servers);
      },
      ...reportsTo(log, config.CONNECTIONS_MAX),
    },
    config,
    models,
    { accounts },
  );
  warnOfUntrustedProxy(server, (sentence) => log.warn(sentence));
  const open = history === undefined ? undefined : countOpen(server.server);
  await using _operators = await openOperatorsPort({
    config,
    id,
    log,
    page: metrics.page,
    checks: () => ({
      kafka: dependencyHealth().kafka,
      "redis-volatile": dependencyHealth().redis,
      serving: isServing() && !stop.aborted,
      connections: !server.connectionsFull(),
    }),
    openCalls: (salt) => calls.open(salt),
    health: observed.health,
    live: () =>
      liveIngress(history!, {
        now: clock.now(),
        active: open!.requests(),
        connections: open!.connections(),
        bodyBytes: server.heldBodyBytes(),
        imageBytes: budget.heldBytes,
        health: serviceHealth({ dependencyHealth, isServing, poolStates }, models.lanes).response,
        pools: config.POOLS,
      }),
  });
  // With Node's default of 511, a burst of 1,800 new connections lost 94 to 379. The kernel's
  // net.core.somaxconn limits it too.
  await server.listen({ host: config.HOST, port: config.PORT, backlog: 4_096 });
  // With Node's default of 511, a burst of 1,800 new connections lost 94 to 379. The kernel's
  // net.core.somaxconn limits it too.
  await using _drain = {
    [Symbol.asyncDispose]: () =>
      drain(server, {
        noticeMs: config.DRAIN_NOTICE_MS,
        withinMs: config.DRAIN_WITHIN_MS,
        stopServing: () => (isDraining = true),
        refuseCalls: () => drainTimeout.abort(),
      }),
  };

  log.info({ address: server.listeningOrigin }, "ready");
  notifyReady();
  await waitForAbort(stop);
});

/** Returns a function that says which servers this process can use now. */
function dependencyHealthOf({ redis, imagesRedis, durable, pools, producer }: Dependencies) {
  let redisAwayAt = -Infinity;
  return () => {
    const isRedisHealthy = redis.healthy && pools.sharedHealthy() && pools.connected();
    const now = performance.now();
    if (!isRedisHealthy) redisAwayAt = now;
    return {
      kafka: producer.isHealthy(),
      redis: isRedisHealthy,
      redisDurable: durable.isResponsive || durable.isStarved,
      redisReturned: now - Math.max(redisAwayAt, redis.returnedAt) < statesWithinMs,
      hasTopics: producer.hasTopics(),
      isStarved: redis.isStarved || imagesRedis.isStarved || producer.isStarved(),
    };
  };
}

type Dependencies = Record<"redis" | "imagesRedis", VolatileConnection> & {
  durable: RedisConnection;
  pools: Awaited<ReturnType<typeof openPoolServers>>;
  producer: Awaited<ReturnType<typeof openProducer>>;
};

/** Returns functions that log what the HTTP server reports of connections and bugs. */
function reportsTo(log: Pick<DedupedLog, "warn" | "info" | "error">, max: number): Reports {
  return {
    reportClosedConnection: (reason) => log.warn({ reason }, "a connection was closed"),
    reportConnectionsFull(isFull) {
      const reason = "CONNECTIONS_MAX";
      if (isFull) log.warn({ reason, max }, "all connections are busy: new ones are refused");
      else log.info({ reason }, "connections are free again");
    },
    reportBug(error, ids) {
      log.error({ reason: (error as Error).message, ...ids, error: (error as Error).stack }, "a bug");
    },
  };
}
type Reports = Pick<Ports, "reportClosedConnection" | "reportConnectionsFull" | "reportBug">;

/** Returns the catalogue of the repository, with what operators have added and calibrated in MODELS_DIR. */
async function catalogueOf({ MODELS_DIR }: { MODELS_DIR?: string | undefined }): Promise<Catalogue> {
  if (MODELS_DIR === undefined) return readCatalogue();
  return withLocalThresholds(await readCatalogue(undefined, addedFolder(MODELS_DIR)), MODELS_DIR);
}
