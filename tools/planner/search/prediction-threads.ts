import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Profile } from "../profile/profile.ts";
import type { PoolSettings, Prediction, PredictionPlan } from "../prediction/predict.ts";
import type { Trace } from "../trace/trace.ts";
import type { ThreadData, ThreadRequest } from "./prediction-thread.ts";

/**
 * Threads that predict side by side, each one thing at a time, one more than there are cores: three long
 * predictions on two cores then end together, where a third one alone would leave a core idle. They share the
 * memory of the trace.
 */
export class PredictionThreads implements AsyncDisposable {
  readonly #idle: Worker[];
  readonly #all: readonly Worker[];
  readonly #waiting: ((thread: Worker) => void)[] = [];

  constructor(trace: Trace, profile: Profile, threads = availableParallelism() + 1) {
    const data: ThreadData = { columns: trace.columns, profile };
    this.#all = Array.from(
      { length: threads },
      () =>
        new Worker(new URL("./prediction-thread.ts", import.meta.url), { workerData: data, resourceLimits }),
    );
    this.#idle = [...this.#all];
  }

  /** Waits for a thread. Throws the error of the prediction. */
  async predict(settings: PoolSettings, plan: PredictionPlan): Promise<Prediction> {
    const thread = this.#idle.pop() ?? (await new Promise<Worker>((resolve) => this.#waiting.push(resolve)));
    const request: ThreadRequest = { settings, plan };
    thread.postMessage(request);
    const [prediction] = (await once(thread, "message")) as [Prediction];
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(thread);
    else next(thread);
    return prediction;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((thread) => thread.terminate()));
  }
}

/**
 * A prediction keeps about 12 MB, however long the trace is, and leaves about 20 KB of garbage for each call.
 * Without limits V8 lets it grow to about 250 MB in each thread before it collects it.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 256 };
