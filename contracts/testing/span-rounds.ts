import { setTimeout as sleep } from "node:timers/promises";
import { readConfig } from "../runtime/config.ts";
import { openLog } from "../runtime/log.ts";
import { newSpanId, newTraceId } from "../runtime/random.ts";
import { TracingConfig } from "../runtime/tracing/config.ts";
import { openTracing } from "../runtime/tracing/open-tracing.ts";
import { type Tracing, tracingOff } from "../runtime/tracing/tracing.ts";
import { traceparentOf } from "../src/trace/span.ts";

/**
 * Runs this process as one service of the benchmark of spans: it makes the spans of calls of /verify as the
 * service does, as often as the parent process wants, and replies with the CPU time of each call.
 *
 *     ready ──► { mode: "sent", batches: 40 } ──► { cpuUs, spans, lostSpans }
 *
 * `openMaker` returns what the service does for the spans of a batch of `callsOfBatch` calls.
 */
export async function serveSpanRounds(
  service: string,
  openMaker: (tracing: Tracing) => SpanMaker,
): Promise<void> {
  const config = readConfig(TracingConfig, process.env);
  await using sent = await openTracing({
    config,
    service,
    id: `${service}-${"0".repeat(16)}`,
    log: openLog(service, "warn"),
  });
  let spans = 0;
  const counted = (tracing: Tracing): Tracing => ({
    ...tracing,
    on: true,
    export: (made) => {
      spans += made.length;
      tracing.export(made);
    },
  });
  const makers = {
    unsampled: openMaker(counted(tracingOff)),
    made: openMaker(counted(tracingOff)),
    sent: openMaker(counted(sent)),
  };
  const run = async ({ mode, batches }: SpanRound): Promise<SpanRoundCosts> => {
    const [spansBefore, lostBefore] = [spans, sent.lostSpans];
    const cpuBefore = process.cpuUsage();
    for (let batch = 0; batch < batches; batch++) {
      makers[mode](Array.from({ length: callsOfBatch }, () => callIds(mode !== "unsampled")));
      await sleep(everyMs);
    }
    // The last spans leave after this delay.
    await sleep(config.OTEL_BSP_SCHEDULE_DELAY + everyMs);
    const { user, system } = process.cpuUsage(cpuBefore);
    return {
      cpuUs: (user + system) / (batches * callsOfBatch),
      spans: (spans - spansBefore) / (batches * callsOfBatch),
      lostSpans: sent.lostSpans - lostBefore,
    };
  };
  const ended = Promise.withResolvers<void>();
  process.on("message", (round: SpanRound) => void run(round).then((costs) => process.send!(costs)));
  process.once("disconnect", ended.resolve);
  process.send!("ready");
  await ended.promise;
}

function callIds(sampled: boolean): TracedCall {
  const context = { traceId: newTraceId(), spanId: newSpanId(), sampled };
  return { requestId: newTraceId(), context, traceparent: traceparentOf(context) };
}

/** As many as a batch of 32 tasks has. */
export const callsOfBatch = 16;
export const tasksOfCall = 2;

/** A pause, so that requests to the receiver end between batches. */
const everyMs = 10;

export type TracedCall = {
  requestId: string;
  context: { traceId: string; spanId: string; sampled: boolean };
  traceparent: string;
};
type SpanMaker = (calls: TracedCall[]) => void;

/** `made`: spans are made and not exported. */
export type SpanRound = { mode: "unsampled" | "made" | "sent"; batches: number };
/** For each call. */
export type SpanRoundCosts = { cpuUs: number; spans: number; lostSpans: number };
