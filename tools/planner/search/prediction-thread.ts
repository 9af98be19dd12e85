import { parentPort, workerData } from "node:worker_threads";
import type { Profile } from "../profile/profile.ts";
import { type PoolSettings, type PredictionPlan, predict } from "../prediction/predict.ts";
import { Trace, type TraceColumns } from "../trace/trace.ts";

// A thread of prediction-threads.ts.

const { columns, profile } = workerData as ThreadData;
const trace = new Trace(columns);

parentPort!.on("message", ({ settings, plan }: ThreadRequest) => {
  parentPort!.postMessage(predict(trace, profile, settings, plan));
});

export type ThreadData = { columns: TraceColumns; profile: Profile };
export type ThreadRequest = { settings: PoolSettings; plan: PredictionPlan };
