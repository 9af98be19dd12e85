import type { NetworkPrecision } from "@faceline/contracts/wire/report";
import { type Catalogue } from "@faceline/models/catalogue";
import { inputSides, type Model, type Precision } from "@faceline/models/catalogue-entry";
import { buildOf, readModel } from "@faceline/models/model-file";
import * as ort from "@faceline/models/onnxruntime";
import { syntheticFace } from "@faceline/models/synthetic-face";
import { requireCudaLibraries } from "./cuda-libraries.ts";
import { requireGolden } from "./golden-faces.ts";
import { int8Deviation, type Outputs } from "./int8-deviation.ts";
import { Network, type NetworkSource, type TensorNames, type WarmUp } from "./network.ts";
import { checkPlacement } from "./placement.ts";
import { type PrecisionSetting, precisionFor, requiresInt8 } from "./precision.ts";
import { runSizes } from "./run-sizes.ts";
import { openSession, type SessionSettings } from "./session.ts";
import type { StartTimes } from "./start-times.ts";
import { warmUpClock } from "./warm-up-clock.ts";

/**
 * Loads models, each once for all lanes, in a precision that is exact on this machine. Owns what it opens.
 */
export class ModelLoader implements AsyncDisposable {
  readonly #options: ModelLoaderOptions & { onWarmUp?: OnModelWarmUp };
  readonly #models = new Map<string, LoadedModel>();

  /** Throws if PRECISION names models that the catalogue does not have. */
  constructor(catalogue: Catalogue, options: ModelLoaderOptions & { onWarmUp?: OnModelWarmUp }) {
    const unknown = [...options.precision.byModel.keys()].filter(
      (name) => !catalogue.models.some((model) => model.name === name),
    );
    if (unknown.length > 0) {
      const known = catalogue.models.map(({ name }) => name).join(", ");
      throw new Error(`PRECISION names unknown models: ${unknown.join(", ")}; there are ${known}`);
    }
    this.#options = options;
  }

  /**
   * Opens the networks of a model, unless they are open. `rowsMax` is the most rows of one run. One load at a
   * time.
   */
  async load(model: Model, rowsMax: number): Promise<LoadedModel> {
    const loaded = this.#models.get(model.name) ?? (await this.#load(model, rowsMax));
    this.#models.set(model.name, loaded);
    return loaded;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { networks } of this.#models.values()) {
      for (const network of networks) await network[Symbol.asyncDispose]();
    }
  }

  async #load(model: Model, rowsMax: number): Promise<LoadedModel> {
    const { precision: setting, executionProvider } = this.#options;
    let precision = precisionFor(model, setting, executionProvider);
    if (executionProvider === "cuda") await requireCudaLibraries(this.#options.modelsDir);
    const deviation = precision === "int8" ? await this.#int8Deviation(model) : undefined;
    if (deviation !== undefined) {
      if (requiresInt8(model, setting))
        throw new Error(`PRECISION asks for int8, but on this CPU ${deviation}`);
      precision = "float32";
    }
    await using opening = new AsyncDisposableStack();
    const networks: Network[] = [];
    // A GPU finishes the full resolution before it could be asked for a second one.
    const sides = executionProvider === "cpu" ? inputSides(model) : [model.input_px];
    for (const px of sides) {
      networks.push(opening.use(await this.#open({ model, px, precision, rowsMax })));
    }
    if (model.role === "embedding") await requireGolden(model, networks.at(-1)!);
    const sha256s = sides.map((px) => buildOf(model, { precision, input_px: px }).sha256);
    opening.move();
    return {
      networks,
      precision: {
        model: model.name,
        precision,
        fallback: deviation !== undefined,
        ...(deviation !== undefined && { deviation }),
        sha256: sha256s.at(-1)!,
      },
      sha256s,
    };
  }

  /**
   * Runs a model in both precisions on this machine, at every side. Returns a clause that says how int8
   * deviates, if so.
   */
  async #int8Deviation(model: Model): Promise<string | undefined> {
    const threshold = model.role === "embedding" ? model.thresholds.euclidean : undefined;
    for (const px of inputSides(model)) {
      const float = await this.#syntheticOutputs(model, px, "float32");
      const deviation = int8Deviation(float, await this.#syntheticOutputs(model, px, "int8"), threshold);
      if (deviation !== undefined)
        return `${model.name} in int8 deviates from float at ${px} px: ${deviation}`;
    }
    return undefined;
  }

  /** The outputs for a synthetic face. For a detector it is of a size that every side finds surely. */
  async #syntheticOutputs(model: Model, px: number, precision: Precision): Promise<Outputs> {
    const face = syntheticFace(px, model.role === "detector" ? Math.round(0.4 * px) : px);
    const session = await this.#session(model, px, precision);
    try {
      const { input, outputs } = tensorNames(model);
      const image = new ort.Tensor("uint8", face, [1, px, px, 3]);
      const results = await session.run({ [input]: image });
      const numbers = Object.entries(outputs).map(
        ([name, tensor]) => [name, (results[tensor]!.data as Float32Array).slice()] as const,
      );
      return new Map(numbers);
    } finally {
      await session.release();
    }
  }

  async #open({ model, px, precision, rowsMax }: NetworkToOpen): Promise<Network> {
    const name = px === model.input_px ? model.name : `${model.name}-${px}`;
    const source = { name, px, tensors: tensorNames(model) };
    const { executionProvider, onWarmUp, startTimes } = this.#options;
    const sizes = runSizes(model, { px, rowsMax, executionProvider });
    const { sha256 } = buildOf(model, { precision, input_px: px });
    return Network.open(source, await this.#session(model, px, precision, source), sizes, {
      onWarmUp: (warmUp) => onWarmUp?.({ ...warmUp, sha256 }),
      clock: warmUpClock(executionProvider),
      known: startTimes?.networks.get(sha256),
    });
  }

  /** Opens a session. `checked`: its placement is checked first, on every execution provider but the CPU. */
  async #session(
    model: Model,
    px: number,
    precision: Precision,
    checked?: NetworkSource,
  ): Promise<ort.InferenceSession> {
    const { modelsDir, executionProvider, intraOpThreads } = this.#options;
    const settings: SessionSettings = { executionProvider, intraOpThreads };
    const bytes = await readModel(modelsDir, model, { precision, input_px: px });
    try {
      if (checked && executionProvider !== "cpu") await checkPlacement(bytes, checked, settings);
      return await openSession(bytes, settings);
    } finally {
      release(bytes);
    }
  }
}

/**
 * Frees the bytes of a file that onnxruntime has copied. V8 would collect them when its own heap grows, which
 * may be never: the heap of an engine's thread does not.
 */
function release({ buffer, byteLength }: Uint8Array): void {
  // Small buffers share their memory with others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** A model's own names for its tensors, from its catalogue entry. */
export function tensorNames(model: Model): TensorNames {
  return { input: model.tensors.inputs[0]!.name, outputs: model.outputs };
}

type NetworkToOpen = { model: Model; px: number; precision: Precision; rowsMax: number };

export type ModelLoaderOptions = {
  /** The folder with the built models. */
  modelsDir: string;
  executionProvider: SessionSettings["executionProvider"];
  /** Threads inside one run. Workers times threads should not exceed the free cores. */
  intraOpThreads: number;
  precision: PrecisionSetting;
  /** Defaults to none: then a load measures them. */
  startTimes?: StartTimes | undefined;
};

/** A warm-up, and the SHA-256 of the network's file. */
export type ModelWarmUp = WarmUp & { sha256: string };
export type OnModelWarmUp = (warmUp: ModelWarmUp) => void;

export type LoadedModel = {
  /** One for each input side, ascending; the last is the model's own side. */
  networks: readonly Network[];
  precision: NetworkPrecision;
  /** SHA-256 of each network's file, checked against the catalogue. */
  sha256s: readonly string[];
};
