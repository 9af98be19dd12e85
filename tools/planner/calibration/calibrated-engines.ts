import { type Engine, type EngineOptions, openEngine } from "@faceline/inference/engine/engine";
import { PrecisionSetting } from "@faceline/inference/network/precision";

/** Opens one engine for each worker of a machine. Each measures its networks, as workers do. */
export async function openEngines(plan: EnginesPlan): Promise<CalibratedEngines> {
  const { workers, progress, ...options } = plan;
  await using opening = new AsyncDisposableStack();
  const engines: Engine[] = [];
  for (let worker = 0; worker < workers; worker++) {
    progress(`loading: worker ${worker + 1} of ${workers}`);
    engines.push(opening.use(await openEngine({ ...engineOptions, ...options })));
  }
  const owned = opening.move();
  return { engines, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Has the defaults of the inference service if run times depend on them. */
const engineOptions = {
  intraOpThreads: 1,
  detectorChunkMax: 4,
  faceChunkMax: 16,
  executionProvider: "cpu",
  precision: PrecisionSetting.parse("auto"),
} as const;

type EnginesPlan = Pick<EngineOptions, "modelled" | "lanes" | "batchMax" | "modelsDir"> & {
  workers: number;
  progress(line: string): void;
};

type CalibratedEngines = AsyncDisposable & { engines: readonly Engine[] };
