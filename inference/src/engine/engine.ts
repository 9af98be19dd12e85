import { on, once } from "node:events";
import { Worker } from "node:worker_threads";
import { coreWaits, HangTimeout } from "@faceline/runtime/starvation";
import type { LoadedLane } from "@faceline/contracts/wire/report";
// The thread needs it, because it cannot change the process environment that onnxruntime reads.
import "@faceline/models/onnxruntime-telemetry";
import type { OnWarmUp } from "../network/network.ts";
import type { FromThread, ThreadOptions, ToThread } from "./messages.ts";
import type { EngineWork, RunResult } from "./work.ts";

/**
 * Starts the engine: a thread of its own with all lanes loaded and every batch size warmed up. Throws one
 * sentence if a lane, a model file or the execution provider is not available.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { onWarmUp, ...threadOptions } = options;
  const thread = new Worker(new URL("./engine-thread.ts", import.meta.url), {
    name: "engine",
    workerData: threadOptions satisfies ThreadOptions,
  });
  const first = await Promise.race([firstMessage(thread, onWarmUp), exitAtStart(thread)]);
  if (first.kind !== "ready") {
    await thread.terminate();
    throw new Error(
      first.kind === "start_failed" ? first.reason : "the engine's first message was not `ready`",
    );
  }
  return new Engine(thread, first, onWarmUp);
}

/** Runs batches on a thread of its own, one after another. */
export class Engine implements AsyncDisposable {
  /** A run that ran out of memory removes sizes from its lane. */
  lanes: LoadedLane[];
  /**
   * Resolves when the thread has died or hangs, so that no run will end any more. Never resolves after a
   * close.
   */
  readonly exited: Promise<Error>;
  readonly #thread: Worker;
  readonly #onWarmUp: OnWarmUp | undefined;
  readonly #networkRuns: Int32Array;
  readonly #resolveExited: (error: Error) => void;
  readonly #runs = new Map<number, Pending<RunResult>>();
  #lastRun = 0;
  #ended: Error | undefined;

  constructor(
    thread: Worker,
    { lanes, networkRuns }: Pick<Ready, "lanes" | "networkRuns">,
    onWarmUp?: OnWarmUp,
  ) {
    this.lanes = lanes;
    this.#thread = thread;
    this.#networkRuns = networkRuns;
    this.#onWarmUp = onWarmUp;
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.exited = promise;
    this.#resolveExited = resolve;
    thread.on("message", (message: FromThread) => this.#onMessage(message));
    thread.on("error", (error) => this.#end(`the engine's thread died: ${error.message}`));
    thread.on("exit", (code) => this.#end(`the engine's thread ended with code ${code}`));
  }

  /**
   * Returns one result for each image, in their order, and measurements of the run. Rejects if the run
   * failed: then the whole batch has no result, and the next run may well succeed. The memory of the images
   * must not change until the promise has settled.
   */
  run(work: EngineWork): Promise<RunResult> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const { promise, resolve, reject } = Promise.withResolvers<RunResult>();
    const run = ++this.#lastRun;
    const { lane, images } = work;
    const sizes = this.lanes.find((each) => each.lane === lane)?.sizes ?? [];
    const runMs = sizes.find(({ size }) => size >= images.length)?.runMs ?? stepMaxMs;
    const stepMs = Math.min(stepMaxMs, Math.max(stepMinMs, stepFactor * runMs));
    this.#runs.set(run, this.#watched({ resolve, reject }, stepMs));
    this.#post({ kind: "run", run, work });
    return promise;
  }

  /** Ends the runs in flight first. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended !== undefined) return;
    this.#ended = new Error("the engine was closed");
    const exit = once(this.#thread, "exit");
    this.#post({ kind: "close" });
    await exit;
  }

  #post(message: ToThread): void {
    // No transfer list: pixels are in shared memory.
    this.#thread.postMessage(message);
  }

  #onMessage(message: FromThread): void {
    switch (message.kind) {
      case "warm_up":
        return this.#onWarmUp?.(message.warmUp);
      case "done": {
        const { run, results, usage } = message;
        return settled(this.#runs, run)?.resolve({ results, usage });
      }
      case "failed":
        this.lanes = message.lanes;
        return settled(this.#runs, message.run)?.reject(
          new Error(`a run of the engine failed: ${message.reason}`),
        );
      case "ready":
      case "start_failed":
        // openEngine has read the one that came.
        return;
    }
  }

  /** Grows with each step of a run. */
  get steps(): number {
    return this.#lastRun + Atomics.load(this.#networkRuns, 0);
  }

  /**
   * Gives the thread up if no network finishes a run for `ms` of time in which it and its helper threads
   * could run. A limit on the whole would have to allow for an image with a hundred faces.
   */
  #watched<T>(pending: Omit<Pending<T>, "hang">, ms: number): Pending<T> {
    // In parts, so that a run that stops halfway gets at most one part more.
    const watch = (partsLeft: number): HangTimeout => {
      const ended = Atomics.load(this.#networkRuns, 0);
      const check = () => {
        const hasStepped = Atomics.load(this.#networkRuns, 0) !== ended;
        if (!hasStepped && partsLeft === 1) return this.#onHang(ms);
        watched.hang = watch(hasStepped ? watchParts : partsLeft - 1);
      };
      return new HangTimeout(ms / watchParts, check, coreWaits.allThreads);
    };
    const watched = { ...pending, hang: watch(watchParts) };
    return watched;
  }

  #onHang(ms: number): void {
    this.#end(`no step of a run ended within ${ms} ms; the engine's thread hangs`);
    void this.#thread.terminate();
  }

  #end(reason: string): void {
    const error = new Error(reason);
    for (const run of this.#runs.keys()) settled(this.#runs, run)?.reject(error);
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.#resolveExited(error);
  }
}

/**
 * A network's run is considered hung if it takes this many times as long as one warm-up run of all networks
 * together, in CPU time; and at least `stepMinMs`, for what was measured in a few ms.
 */
const stepFactor = 20;
const stepMinMs = 5_000;
const stepMaxMs = 60_000;
const watchParts = 4;

/** The first one that is not about the progress of the start. */
async function firstMessage(thread: Worker, onWarmUp: OnWarmUp | undefined): Promise<FromThread> {
  for await (const [message] of on(thread, "message") as AsyncIterable<[FromThread]>) {
    if (message.kind !== "warm_up") return message;
    onWarmUp?.(message.warmUp);
  }
  throw new Error("unreachable: the messages of a thread do not end");
}

async function exitAtStart(thread: Worker): Promise<never> {
  const [code] = (await once(thread, "exit")) as [number];
  throw new Error(`the engine's thread ended with code ${code} before it was ready`);
}

export type EngineOptions = ThreadOptions & {
  /** Is called for each size of each network that is being loaded. */
  onWarmUp?: OnWarmUp | undefined;
};

type Ready = Extract<FromThread, { kind: "ready" }>;

/** A message to the thread that has not been answered yet. */
type Pending<T> = { resolve: (result: T) => void; reject: (error: Error) => void; hang: HangTimeout };

/** Removes what has been answered now. */
function settled<K, T>(pending: Map<K, Pending<T>>, key: K): Pending<T> | undefined {
  const answered = pending.get(key);
  pending.delete(key);
  answered?.hang[Symbol.dispose]();
  return answered;
}
