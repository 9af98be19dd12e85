import { batchesTopic } from "@faceline/contracts/wire/names";
import { AnswerDelivery } from "@faceline/runtime/answer-delivery";
import { openSharedClock } from "@faceline/runtime/clock";
import { DeadLetters } from "@faceline/runtime/dead-letters";
import { openAdmin } from "@faceline/runtime/kafka";
import { openConsumer } from "@faceline/runtime/kafka-consumer";
import { openProducer } from "@faceline/runtime/kafka-producer";
import { kafkaAttributes, openKafkaMetrics } from "@faceline/runtime/metrics/kafka-metrics";
import { openMetrics } from "@faceline/runtime/metrics/open-metrics";
import { observeDependencies, observeProcess } from "@faceline/runtime/metrics/process-metrics";
import { observeCommands } from "@faceline/runtime/metrics/redis-metrics";
import { openOperatorsPort } from "@faceline/runtime/operators/port";
import { poolTopics } from "@faceline/runtime/pool-topics";
import { exitFatally, notifyReady, waitForAbort } from "@faceline/runtime/process-lifecycle";
import { connectVolatileRedis } from "@faceline/runtime/redis";
import { runService } from "@faceline/runtime/service";
import { openTracing } from "@faceline/runtime/tracing/open-tracing";
import { openAnswerOutbox } from "./answer-outbox.ts";
import { openBatchOutbox } from "./batch-outbox.ts";
import { BatchSpans } from "./batch-spans.ts";
import { openCancelInbox } from "./cancel-inbox.ts";
import { BatcherConfig } from "./config.ts";
import { liveBatcher } from "./live/batcher-state.ts";
import { SchedulerHistory } from "./live/scheduler-history.ts";
import { openPoolOutbox } from "./pool-outbox.ts";
import { openReportInbox } from "./report-inbox.ts";
import { SchedulerLoop } from "./scheduler-loop.ts";
import { SchedulerMetrics } from "./scheduler-metrics.ts";
import { newState } from "./scheduling/state/state.ts";
import { TaskInbox } from "./task-inbox.ts";
import { TopicWatch } from "./topic-watch.ts";

/** Time from the end of a batcher's session until its standby has joined again and published a state. */
const takeoverGraceMs = 1_000;

await runService("batcher", BatcherConfig, async ({ config, id, log, stop }) => {
  const { POOL: pool } = config;
  const state = newState(id, {
    batchMax: Number.POSITIVE_INFINITY,
    utilisationTarget: config.UTILISATION_TARGET,
    laneWaitingMax: config.LANE_WAITING_MAX,
    // First guesses, in use until the times are measured.
    hopMs: 3,
    replyMs: 3,
  });

  await using tracing = await openTracing({ config, service: "batcher", id, log });
  const page = config.OPERATORS_PORT !== undefined;
  const history = page ? new SchedulerHistory(state) : undefined;
  await using metrics = await openMetrics({ config, page, service: "batcher", id, log });
  await using redis = await connectVolatileRedis(config, { log });
  await using clock = await openSharedClock(redis);
  using observed = observeProcess(metrics, { redis, tracing });
  observeCommands(metrics, "redis-volatile", [redis]);
  const kafkaMetrics = openKafkaMetrics(metrics, config);
  await using producer = await openProducer(config, id, {
    topics: [batchesTopic(pool)],
    onSent: kafkaMetrics?.sent,
  });
  await using deadLetters = new DeadLetters({
    openProducer: () => openProducer(config, `${id}-dead-letters`),
    log,
  });
  await using topics = await TopicWatch.open({
    topics: poolTopics(config, pool),
    openAdmin: () => openAdmin(config),
    log,
  });
  const batches = openBatchOutbox(producer, pool);
  await using delivery = new AnswerDelivery({ redis, clock, log });
  const answers = openAnswerOutbox({ delivery, clock, pool, deadLetters, dedupedLog: log });
  let tasksSilentSince = Infinity;
  let isStarted = false;
  const kafkaLink = () => {
    if (performance.now() - tasksSilentSince > config.KAFKA_SESSION_MS) return "lost";
    return tasksSilentSince === Infinity && producer.isHealthy() ? "responsive" : "silent";
  };
  const dependencies = () => ({
    "redis-volatile": redis.healthy,
    kafka: tasksSilentSince === Infinity && producer.isHealthy() && topics.missing.length === 0,
  });
  observeDependencies(metrics, dependencies);
  let takeoverMs: number | undefined;
  let hasReports = () => true;
  await using _operators = await openOperatorsPort({
    config,
    id,
    log,
    page: metrics.page,
    health: observed.health,
    live: () => liveBatcher(state, history!, { pool, kafka: kafkaLink(), now: clock.now() }),
    checks: () => ({ start: isStarted && !stop.aborted, ...dependencies() }),
  });
  await using poolState = openPoolOutbox({
    redis,
    state,
    clock,
    pool,
    kafka: kafkaLink,
    hasTopic: () => producer.hasTopics() && topics.missing.length === 0,
    hasReports: () => hasReports(),
    takeoverMs: () => takeoverMs,
  });
  const spans = new BatchSpans(tracing, pool, { ...kafkaAttributes(config), "messaging.client.id": id });
  await using loop = new SchedulerLoop({
    state,
    clock,
    batches,
    answers,
    poolState,
    spans,
    dedupedLog: log,
    observers: [SchedulerMetrics.open(metrics, state, clock), history].filter((each) => each !== undefined),
  });
  await using reports = await openReportInbox({
    config,
    pool,
    redis,
    onReport: (report) => loop.handle({ kind: "report", report }),
    log,
  });
  hasReports = reports.hasReports;
  await using _cancels = await openCancelInbox({
    config,
    pool,
    onCancel: (call) => loop.handle({ kind: "cancel", call }),
    log,
  });
  await using tasks = await TaskInbox.open({
    config,
    clientId: id,
    clock,
    redis,
    deadLetters,
    loop,
    log,
    openConsumer: (options) =>
      openConsumer(config, {
        ...options,
        observer: kafkaMetrics,
        onResponsiveChange(isResponsive) {
          tasksSilentSince = isResponsive ? Infinity : performance.now();
          poolState.stateChanged();
        },
        onMembers(members) {
          takeoverMs = members > 1 ? config.KAFKA_SESSION_MS + takeoverGraceMs : undefined;
        },
      }),
    onConsumerLost: exitFatally(log),
  });

  metrics.observe("faceline.dead_letters", () => [[deadLetters.recorded, {}]]);
  metrics.observe("faceline.kafka.lag", () => (tasks.lag === undefined ? [] : [[tasks.lag, {}]]));
  isStarted = true;
  log.info("ready");
  notifyReady();
  await waitForAbort(stop);
  loop.handle({ kind: "drain" });
});
