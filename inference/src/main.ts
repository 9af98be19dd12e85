import { openSharedClock } from "@faceline/contracts/runtime/clock";
import { configOrExit } from "@faceline/contracts/runtime/config";
import { openProducer } from "@faceline/contracts/runtime/kafka";
import { openLog } from "@faceline/contracts/runtime/log";
import {
  exitFatally,
  exitWithMessage,
  newProcessId,
  notifyReady,
  stopSignal,
  waitForAbort,
} from "@faceline/contracts/runtime/process";
import { connectVolatileRedis } from "@faceline/contracts/runtime/redis";
import { LaneId } from "@faceline/contracts/wire/ids";
import { openAnswerOutbox } from "./answer-outbox.ts";
import { openBatchInbox } from "./batch-inbox.ts";
import { InferenceConfig } from "./config.ts";
import { Decoder } from "./decode/decoder.ts";
import { PixelRooms } from "./decode/pixel-rooms.ts";
import { openEngine } from "./engine/engine.ts";
import { lookAway } from "./engine/modelled.ts";
import { openImageInbox } from "./image-inbox.ts";
import { openPreparation } from "./preparation.ts";
import { openReportOutbox } from "./report-outbox.ts";
import { Worker } from "./worker.ts";

const stop = stopSignal();
const config = configOrExit(InferenceConfig, process.env);
const id = newProcessId("inference");
const log = openLog("inference", config.LOG_LEVEL).child({ worker: id });

await using redis = await connectVolatileRedis(config, { log });
await using clock = await openSharedClock(redis);
const modelled = config.ENGINE;
if (modelled !== undefined) log.warn(modelled, "the engine is modelled: answers are made up");
await using engine = await openEngine({
  modelled,
  modelsDir: config.MODELS_DIR,
  lanes: config.LANES.split(",").map((name) => LaneId.parse(name.trim())),
  executionProvider: config.EXECUTION_PROVIDER,
  intraOpThreads: config.INTRA_OP_THREADS,
  precision: config.PRECISION,
  batchMax: config.BATCH_MAX,
  detectorChunkMax: config.DETECTOR_CHUNK_MAX,
  faceChunkMax: config.FACE_CHUNK_MAX,
  residualMaxPx: config.FACE_RESIDUAL_MAX_PX,
  runMaxMs: config.RUN_MAX_MS,
  onRun: (facts) => log.debug(facts, "ran"),
}).catch(exitWithMessage);
for (const reason of engine.fallbacks)
  log.warn({ reason }, "a model runs in float, which is right here, and slower");
void engine.exited.then(exitFatally(log));

await using images = await openImageInbox(config, log);
const decoder = new Decoder({
  decodesMax: config.DECODES_MAX,
  pixelsMax: config.IMAGE_PIXELS_MAX,
  sideMin: 16,
  longSideMax: config.PICTURE_SIDE_MAX_PX,
  shrunkSide: config.PICTURE_SHRUNK_SIDE_PX,
});
const worker = new Worker({
  clock,
  engine,
  prepare: openPreparation({
    images,
    rooms: new PixelRooms({ batchMax: config.BATCH_MAX, longSideMax: config.PICTURE_SIDE_MAX_PX }),
    decode: modelled === undefined ? decoder.decode : lookAway,
    clock,
  }),
  answers: openAnswerOutbox(redis, clock, log),
  log,
  heldBatchesMax: config.HELD_BATCHES_MAX,
  changed: () => reports.send(),
});
await using reports = openReportOutbox({
  redis,
  pool: config.POOL,
  worker: id,
  clock,
  everyMs: config.REPORT_EVERY_MS,
  read: () => worker.read(),
});
await using _drain = { [Symbol.asyncDispose]: () => worker.drained() };
await using producer = await openProducer(config, id);
await using _batches = await openBatchInbox({
  config,
  clientId: id,
  producer,
  log,
  take: (batch) => worker.take(batch),
  assigned(partitions) {
    worker.partitions = partitions;
    reports.send();
  },
  lost: exitFatally(log),
});

log.info({ lanes: engine.lanes.map((each) => each.lane) }, "ready");
notifyReady();
await waitForAbort(stop);
worker.draining = true;
reports.send();
