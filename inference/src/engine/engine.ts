import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { LoadedLane } from "@faceline/contracts/wire/report";
// For the thread: it cannot change the environment that onnxruntime reads.
import "@faceline/models/onnxruntime-telemetry";
import type { FromThread, ThreadOptions, ToThread } from "./thread-messages.ts";
import type { EngineWork, RunFacts, TaskResult } from "./work.ts";

/**
 * Starts the engine: a thread of its own with the lanes loaded and every size warmed. Throws a sentence when a lane, its
 * model files or the execution provider cannot be had.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { runMaxMs, onRun, ...threadOptions } = options;
  const thread = new Worker(new URL("./engine-thread.ts", import.meta.url), {
    name: "engine",
    workerData: threadOptions satisfies ThreadOptions,
  });
  const [first] = (await Promise.race([once(thread, "message"), diedAtStart(thread)])) as [FromThread];
  if (first.kind !== "ready") {
    await thread.terminate();
    throw new Error(
      first.kind === "refused" ? first.reason : "the engine's thread said something else than ready",
    );
  }
  return new Engine(thread, first, { runMaxMs, onRun });
}

/** Runs batches in a thread of its own, one after another. */
export class Engine implements AsyncDisposable {
  readonly lanes: LoadedLane[];
  /** Why models run in float that were to run in int8: a clause for each. */
  readonly fallbacks: string[];
  /** Resolves when the thread has died or hangs, and no run will ever end again; never when the engine was closed. */
  readonly exited: Promise<Error>;
  readonly #thread: Worker;
  readonly #limits: { runMaxMs: number; onRun: (facts: RunFacts) => void };
  readonly #runs = new Map<number, Run>();
  #lastRun = 0;
  #over: Error | undefined;

  constructor(
    thread: Worker,
    { lanes, fallbacks }: { lanes: LoadedLane[]; fallbacks: string[] },
    limits: { runMaxMs: number; onRun: (facts: RunFacts) => void },
  ) {
    this.lanes = lanes;
    this.fallbacks = fallbacks;
    this.#thread = thread;
    this.#limits = limits;
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.exited = promise;
    thread.on("message", (message: FromThread) => this.#hear(message));
    thread.on("error", (error) =>
      this.#end(new Error(`the engine's thread died: ${error.message}`), resolve),
    );
    thread.on("exit", (code) => this.#end(new Error(`the engine's thread ended with code ${code}`), resolve));
    this.#onHang = () => {
      this.#end(
        new Error(`a run took longer than ${limits.runMaxMs} ms; the engine's thread hangs`),
        resolve,
      );
      void thread.terminate();
    };
  }

  readonly #onHang: () => void;

  /**
   * A result for each picture, in their order. Rejects when the run failed: then none of the batch has a result, and the
   * next run may well succeed. The pictures' memory must stay as it is until this has settled.
   */
  run(work: EngineWork): Promise<TaskResult[]> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    const { promise, resolve, reject } = Promise.withResolvers<TaskResult[]>();
    const run = ++this.#lastRun;
    this.#runs.set(run, { resolve, reject, hang: setTimeout(this.#onHang, this.#limits.runMaxMs) });
    this.#tell({ kind: "run", run, work });
    return promise;
  }

  /** Runs in flight end first. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#over !== undefined) return;
    this.#over = new Error("the engine was closed");
    const gone = once(this.#thread, "exit");
    this.#tell({ kind: "close" });
    await gone;
  }

  #tell(message: ToThread): void {
    // Nothing changes hands: pixels are shared.
    this.#thread.postMessage(message);
  }

  #hear(message: FromThread): void {
    if (message.kind !== "done" && message.kind !== "failed") return;
    const run = this.#runs.get(message.run);
    if (run === undefined) return;
    this.#runs.delete(message.run);
    clearTimeout(run.hang);
    if (message.kind === "failed")
      return run.reject(new Error(`a run of the engine failed: ${message.reason}`));
    this.#limits.onRun(message.facts);
    run.resolve(message.results);
  }

  #end(error: Error, tell: (error: Error) => void): void {
    for (const run of this.#runs.values()) {
      clearTimeout(run.hang);
      run.reject(error);
    }
    this.#runs.clear();
    if (this.#over !== undefined) return;
    this.#over = error;
    tell(error);
  }
}

async function diedAtStart(thread: Worker): Promise<never> {
  const [code] = (await once(thread, "exit")) as [number];
  throw new Error(`the engine's thread ended with code ${code} before it was ready`);
}

export type EngineOptions = ThreadOptions & {
  /** A run that takes longer will not end: the engine counts as dead. */
  runMaxMs: number;
  /** Told of every run that succeeded. */
  onRun: (facts: RunFacts) => void;
};

type Run = {
  resolve: (results: TaskResult[]) => void;
  reject: (error: Error) => void;
  hang: NodeJS.Timeout;
};
