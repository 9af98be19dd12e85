import { openSharedClock } from "@faceline/contracts/runtime/clock";
import { configOrExit } from "@faceline/contracts/runtime/config";
import { openProducer } from "@faceline/contracts/runtime/kafka";
import { openConsumer } from "@faceline/contracts/runtime/kafka-consumer";
import { openLog } from "@faceline/contracts/runtime/log";
import {
  exitFatally,
  newProcessId,
  notifyReady,
  stopSignal,
  waitForAbort,
} from "@faceline/contracts/runtime/process";
import { connectVolatileRedis } from "@faceline/contracts/runtime/redis";
import { openAnswerOutbox } from "./answer-outbox.ts";
import { openBatchOutbox } from "./batch-outbox.ts";
import { openCancelInbox } from "./cancel-inbox.ts";
import { BatcherConfig } from "./config.ts";
import { openPoolOutbox } from "./pool-outbox.ts";
import { startPulse } from "./pulse.ts";
import { openReportInbox } from "./report-inbox.ts";
import { handOver, newState } from "./scheduling/state.ts";
import { openTaskInbox } from "./task-inbox.ts";

const stop = stopSignal();
const config = configOrExit(BatcherConfig, process.env);
const id = newProcessId("batcher");
const log = openLog("batcher", config.LOG_LEVEL).child({ batcher: id });
const state = newState(id, {
  laneWaitingMax: config.LANE_WAITING_MAX,
  hopMs: config.HOP_MS,
  replyMs: config.REPLY_MS,
});

await using redis = await connectVolatileRedis(config, { log });
await using clock = await openSharedClock(redis);
await using producer = await openProducer(config, id);
const batches = openBatchOutbox(producer, config.POOL);
const answers = openAnswerOutbox(redis, log);
await using pulse = startPulse({ state, clock, batches, answers, log });
await using _reports = await openReportInbox(
  config,
  config.POOL,
  (report) => pulse.tell({ kind: "report", report }),
  log,
);
await using _cancels = await openCancelInbox(
  config,
  config.POOL,
  (call) => pulse.tell({ kind: "cancel", call }),
  log,
);
await using tasks = await openTaskInbox({
  config,
  clientId: id,
  clock,
  redis,
  producer,
  pulse,
  log,
  openConsumer: (options) => openConsumer(config, options),
  handOver: () => handOver(state),
  lost: exitFatally(log),
});
await using poolState = openPoolOutbox({
  redis,
  state,
  clock,
  pool: config.POOL,
  everyMs: config.POOL_STATE_EVERY_MS,
  active: tasks.active,
  // Silence is not an event: somebody has to look for it.
  due: () => pulse.tell({ kind: "timer" }),
});
pulse.onDecided(poolState.decided);

log.info("ready");
notifyReady();
await waitForAbort(stop);
// Nothing is held for neighbours any more.
pulse.tell({ kind: "drain" });
