import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Trace } from "../trace/trace.ts";
import type { LoadData, LoadPlan } from "./load-thread.ts";
import type { PictureStock } from "./picture-stock.ts";
import { ReplayedCalls } from "./replayed-calls.ts";

/**
 * Replays a trace against a running service in an open loop: a call is sent when it is due, whether or not
 * the ones before it were answered, and its latency counts from that instant. The calls are sent by a thread
 * of their own, so that nothing else here delays them.
 */
export async function replayTrace(options: ReplayOptions): Promise<ReplayedCalls> {
  const { trace, stock, plan, progress } = options;
  const calls = ReplayedCalls.ofLength(trace.calls);
  const data: LoadData = { columns: trace.columns, stock, plan, results: calls.columns };
  const thread = new Worker(new URL("./load-thread.ts", import.meta.url), { workerData: data });
  const timer = setInterval(
    () => progress(`replay: ${calls.columns.ended[0]} of ${trace.calls} requests have ended`),
    500,
  );
  try {
    await once(thread, "message");
  } finally {
    clearInterval(timer);
    await thread.terminate();
  }
  return calls;
}

type ReplayOptions = {
  trace: Trace;
  stock: PictureStock;
  plan: LoadPlan;
  progress(line: string): void;
};
