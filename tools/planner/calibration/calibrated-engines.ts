import type { EngineSettings, NetworkTimes } from "@faceline/contracts/stored/profile";
import { type Engine, type EngineOptions, openEngine } from "@faceline/inference/engine/engine";
import { PrecisionSetting } from "@faceline/inference/network/precision";

/**
 * Opens one engine for each worker of a machine. The first measures its networks, and the others divide
 * batches as it does: so will workers that start from the profile.
 */
export async function openEngines(plan: EnginesPlan): Promise<CalibratedEngines> {
  const { workers, progress, ...options } = plan;
  const networks = new Map<string, NetworkTimes>();
  await using opening = new AsyncDisposableStack();
  const engines: Engine[] = [];
  for (let worker = 0; worker < workers; worker++) {
    progress(`loading: worker ${worker + 1} of ${workers}`);
    const known = new Map([...networks].map(([sha256, { sizes }]) => [sha256, sizes]));
    const engine = await openEngine({
      ...engineOptions,
      ...options,
      startTimes: { networks: known, lanes: new Map() },
      onWarmUp: ({ network, size, times, sha256 }) => {
        if (worker > 0 || times === undefined) return;
        const before = networks.get(sha256)?.sizes ?? [];
        // The largest comes first.
        networks.set(sha256, { name: network, sha256, sizes: [{ size, runMs: times.runMs }, ...before] });
      },
    });
    engines.push(opening.use(engine));
  }
  const owned = opening.move();
  return {
    engines,
    networks: [...networks.values()],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Those that run times depend on. As the next ones, the defaults of the inference service. */
export const engineSettings: EngineSettings = { intraOpThreads: 1, detectorChunkMax: 4, faceChunkMax: 16 };

const engineOptions = {
  ...engineSettings,
  executionProvider: "cpu",
  precision: PrecisionSetting.parse("auto"),
} as const;

type EnginesPlan = Pick<EngineOptions, "modelled" | "lanes" | "batchMax" | "modelsDir"> & {
  workers: number;
  progress(line: string): void;
};

type CalibratedEngines = AsyncDisposable & {
  engines: readonly Engine[];
  /** Times of the networks of all lanes, by file. */
  networks: NetworkTimes[];
};
