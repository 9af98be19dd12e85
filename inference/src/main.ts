import { batchesTopic, inferenceGroup } from "@faceline/contracts/wire/names";
import { AnswerDelivery } from "@faceline/runtime/answer-delivery";
import { taskEnds } from "@faceline/runtime/answers";
import { openSharedClock } from "@faceline/runtime/clock";
import { DeadLetters } from "@faceline/runtime/dead-letters";
import { openProducer } from "@faceline/runtime/kafka-producer";
import { kafkaAttributes, openKafkaMetrics } from "@faceline/runtime/metrics/kafka-metrics";
import { openMetrics } from "@faceline/runtime/metrics/open-metrics";
import { observeDependencies, observeProcess } from "@faceline/runtime/metrics/process-metrics";
import { observeCommands } from "@faceline/runtime/metrics/redis-metrics";
import { lanesOf } from "@faceline/runtime/models-config";
import { openOperatorsPort } from "@faceline/runtime/operators/port";
import { exitFatally, notifyReady, waitForAbort } from "@faceline/runtime/process-lifecycle";
import { connectVolatileRedis } from "@faceline/runtime/redis";
import { runService } from "@faceline/runtime/service";
import { openTracing } from "@faceline/runtime/tracing/open-tracing";
import { enterEmptyFolder } from "@faceline/models/empty-folder";
import { openAnswerOutbox } from "./answer-outbox.ts";
import { openBatchInbox } from "./batch-inbox.ts";
import { BatchSpans } from "./batch-spans.ts";
import { InferenceConfig, imageLimits, requirePixelMemory, runLimits } from "./config.ts";
import { Decoder } from "./decode/decoder.ts";
import { defaultImageLimits } from "./decode/image.ts";
import { PixelBufferPool } from "./decode/pixel-buffers.ts";
import { openEngine } from "./engine/engine.ts";
import { nullDecoder } from "./engine/modelled.ts";
import { openImageInbox } from "./image-inbox.ts";
import { BatchHistory } from "./live/batch-history.ts";
import { liveInference } from "./live/inference-state.ts";
import { logWarmUp, networksOf } from "./load-log.ts";
import { openPreparation } from "./preparation.ts";
import { openReportOutbox } from "./report-outbox.ts";
import { heldBatchesMax, pixelBuffersMax, Worker } from "./worker.ts";
import { WorkerMetrics } from "./worker-metrics.ts";

// The end-to-end tests cover it.
await runService("inference", InferenceConfig, async ({ config, id, log, stop }) => {
  enterEmptyFolder();
  const buffers = new PixelBufferPool({
    batchMax: config.BATCH_MAX,
    longSideMaxPx: defaultImageLimits.longSideMaxPx,
    buffersMax: pixelBuffersMax,
  });
  requirePixelMemory(config, buffers.bytesMax, process.availableMemory());

  await using tracing = await openTracing({ config, service: "inference", id, log });
  const page = config.OPERATORS_PORT !== undefined;
  await using metrics = await openMetrics({ config, page, service: "inference", id, log });
  await using redis = await connectVolatileRedis(config, { log });
  await using clock = await openSharedClock(redis);
  await using delivery = new AnswerDelivery({ redis, clock, log });
  const modelled = config.ENGINE;
  if (modelled !== undefined) log.warn(modelled, "the engine is modelled: answers are made up");
  using observed = observeProcess(metrics, { redis, tracing });
  observeCommands(metrics, "redis-volatile", [redis]);
  const kafkaMetrics = openKafkaMetrics(metrics, config);
  const [topic, group] = [batchesTopic(config.POOL), inferenceGroup(config.POOL)];
  const history = new BatchHistory();
  let readReport: (() => ReturnType<Worker["read"]>) | undefined;
  let isStarted = false;
  let isKafkaResponsive = true;
  const dependencies = () => ({ "redis-volatile": redis.healthy, kafka: isKafkaResponsive });
  observeDependencies(metrics, dependencies);
  await using _operators = await openOperatorsPort({
    config,
    id,
    log,
    page: metrics.page,
    health: observed.health,
    live: () =>
      liveInference({
        now: clock.now(),
        pool: config.POOL,
        modelled: modelled !== undefined,
        report: readReport?.(),
        history,
      }),
    checks: () => ({ start: isStarted && !stop.aborted, ...dependencies() }),
  });
  const lanes = lanesOf(config);
  await using engine = await openEngine({
    modelsDir: config.MODELS_DIR,
    executionProvider: config.EXECUTION_PROVIDER,
    precision: config.PRECISION,
    modelled,
    lanes,
    intraOpThreads: config.INTRA_OP_THREADS,
    batchMax: config.BATCH_MAX,
    ...runLimits(config),
    onWarmUp: logWarmUp(log, config.EXECUTION_PROVIDER),
  });
  void engine.exited.then(exitFatally(log));

  await using images = await openImageInbox({ config, log, metrics, batchesMax: pixelBuffersMax });
  const decoder = new Decoder({ decodesMax: config.DECODES_MAX, ...imageLimits(config) });
  const worker = new Worker({
    clock,
    engine,
    prepare: openPreparation({
      images,
      buffers,
      decode: modelled === undefined ? decoder.decode : nullDecoder,
      clock,
      taskEnds: (tasks) => taskEnds(redis, tasks),
      log,
      decodeStallMs: 1.5 * defaultImageLimits.decodeMaxMs,
      onHang: exitFatally(log),
    }),
    imageBytes: images.receivedBytes,
    answers: openAnswerOutbox(delivery, clock, log),
    spans: new BatchSpans(tracing, {
      worker: id,
      pool: config.POOL,
      kafka: { ...kafkaAttributes(config), "messaging.client.id": id },
    }),
    log,
    metrics: WorkerMetrics.open(metrics, {
      lanes,
      loaded: () => engine.lanes,
      processed: (durationMs, errorType) => kafkaMetrics?.processed(topic, group, durationMs, errorType),
    }),
    history: page ? history : undefined,
    heldBatchesMax,
    onChange: () => reports.send(),
  });
  readReport = () => worker.read();
  await using reports = openReportOutbox({
    redis,
    pool: config.POOL,
    worker: id,
    clock,
    read: () => worker.read(),
  });
  await using _drain = { [Symbol.asyncDispose]: () => worker.drained() };
  await using deadLetters = new DeadLetters({
    openProducer: () => openProducer(config, `${id}-dead-letters`),
    log,
  });
  await using _batches = await openBatchInbox({
    config,
    clientId: id,
    deadLetters,
    log,
    observer: kafkaMetrics,
    onBatch: (batch) => worker.take(batch),
    onResponsiveChange: (isResponsive) => {
      isKafkaResponsive = isResponsive;
    },
    onPartitions: (partitions) => worker.assign(partitions),
    onLost: exitFatally(log),
  });

  metrics.observe("faceline.dead_letters", () => [[deadLetters.recorded, {}]]);
  metrics.observe("faceline.run.tasks", () => [[worker.read().running?.tasks.length ?? 0, {}]]);
  isStarted = true;
  log.info({ lanes: engine.lanes.map((each) => each.lane), networks: networksOf(engine.lanes) }, "ready");
  notifyReady();
  await waitForAbort(stop);
  worker.startDraining();
  const drainWithinMs = config.WORKER_DRAIN_WITHIN_MS;
  const giveUp = async () => {
    worker.abandon();
    await reports.publish();
    exitFatally(log)(new Error(`not drained within ${drainWithinMs} ms: the batches go to other workers`));
  };
  // Counts everything that is left to do: leaving Kafka, batches, answers, the engine's thread.
  setTimeout(() => void giveUp(), drainWithinMs).unref();
});
