import type { NetworkPrecision } from "@faceline/contracts/wire/report";
import { type Catalogue, type Model, type Precision, type Role, sidesOf } from "@faceline/models/catalogue";
import { readModel } from "@faceline/models/model-file";
import * as ort from "@faceline/models/onnxruntime";
import { type Outputs, strayOf } from "./agreement.ts";
import { drawnFace } from "./drawn-face.ts";
import { Network, type NetworkSource } from "./network.ts";
import { checkPlacement } from "./placement.ts";
import { mustBeInt8, type PrecisionWishes, precisionFor } from "./precision.ts";
import { openSession, type SessionSettings } from "./provider.ts";
import { clipsSums } from "./sums.ts";

/** Loads models, each once for all lanes, in the precision that this machine can be trusted with. */
export class Loading implements AsyncDisposable {
  readonly #catalogue: Catalogue;
  readonly #options: LoadingOptions;
  readonly #clips: typeof clipsSums;
  #clipping: boolean | undefined;
  readonly #models = new Map<string, LoadedModel>();
  readonly #opened = new AsyncDisposableStack();

  /** `clips`: whether this CPU's arithmetic in eight bits is wrong. Throws where a wish is for a model that is not there. */
  constructor(catalogue: Catalogue, options: LoadingOptions, clips = clipsSums) {
    const unknown = [...options.precision.named.keys()].find(
      (name) => !catalogue.models.some((model) => model.name === name),
    );
    if (unknown !== undefined) throw new Error(`PRECISION names ${unknown}, which is no model`);
    this.#catalogue = catalogue;
    this.#options = options;
    this.#clips = clips;
  }

  /** `chunkMax` is the most rows of one run. */
  async load(role: Role, name: string, chunkMax: number): Promise<LoadedModel> {
    const model = find(this.#catalogue, role, name);
    const loaded = this.#models.get(name) ?? (await this.#load(model, chunkMax));
    this.#models.set(name, loaded);
    return loaded;
  }

  /** Why models run in float that were to run in int8: a clause for each. */
  get fallbacks(): string[] {
    return [...this.#models.values()].flatMap(({ fallback }) => fallback ?? []);
  }

  /** What was opened, to be closed by whoever takes it. */
  move(): AsyncDisposableStack {
    return this.#opened.move();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }

  async #load(model: Model, chunkMax: number): Promise<LoadedModel> {
    const { precision: wishes, executionProvider } = this.#options;
    let precision = precisionFor(model, wishes, executionProvider);
    let fallback: string | undefined;
    const stray = precision === "int8" ? await this.#strayOf(model) : undefined;
    if (stray !== undefined) {
      const reason = `${model.name} in int8 does not say what it says in float: ${stray}`;
      if (mustBeInt8(model, wishes)) throw new Error(`PRECISION asks for int8, but on this CPU ${reason}`);
      fallback = reason;
      precision = "float32";
    }
    const networks: Network[] = [];
    // A GPU is done with the full size before it has been asked for a second one.
    const sides = executionProvider === "cpu" ? sidesOf(model) : [model.input_px];
    for (const px of sides) networks.push(this.#opened.use(await this.#open(model, px, precision, chunkMax)));
    return {
      networks,
      precision: { model: model.name, precision, fallback: fallback !== undefined },
      fallback,
    };
  }

  /** What makes int8 another than float here. Undefined: nothing that matters. */
  async #strayOf(model: Model): Promise<string | undefined> {
    this.#clipping ??= await this.#clips(this.#options);
    if (this.#clipping) return "this CPU clips sums in eight bits, as x64 does without VNNI";
    // The weights are those of every side, and the least is the quickest.
    const px = sidesOf(model)[0]!;
    const [float, int8] = [await this.#said(model, px, "float32"), await this.#said(model, px, "int8")];
    return strayOf(model.role, float, int8);
  }

  /** Of a drawn face. */
  async #said(model: Model, px: number, precision: Precision): Promise<Outputs> {
    const session = await this.#session(model, px, precision);
    try {
      const image = new ort.Tensor("uint8", drawnFace(px), [1, px, px, 3]);
      const outputs = await session.run({ image });
      return new Map(
        Object.entries(outputs).map(([name, { data }]) => [name, (data as Float32Array).slice()]),
      );
    } finally {
      await session.release();
    }
  }

  async #open(model: Model, px: number, precision: Precision, chunkMax: number): Promise<Network> {
    const source = { name: px === model.input_px ? model.name : `${model.name}-${px}`, px };
    const sizes = model.batch_buckets.filter((size) => size <= chunkMax);
    return Network.open(source, await this.#session(model, px, precision, source), sizes);
  }

  async #session(
    model: Model,
    px: number,
    precision: Precision,
    checked?: NetworkSource,
  ): Promise<ort.InferenceSession> {
    const { modelsDir, executionProvider, intraOpThreads } = this.#options;
    const settings: SessionSettings = { executionProvider, intraOpThreads };
    const bytes = await readModel(modelsDir, model, { precision, input_px: px });
    if (checked && executionProvider !== "cpu") await checkPlacement(bytes, checked, settings);
    return openSession(bytes, settings);
  }
}

function find(catalogue: Catalogue, role: Role, name: string): Model {
  const model = catalogue.find(role, name);
  if (model !== undefined) return model;
  const known = catalogue.all(role).map((each) => each.name);
  throw new Error(`there is no ${role} model ${name}, only ${known.join(", ")}`);
}

export type LoadingOptions = {
  /** Where the built models lie. */
  modelsDir: string;
  executionProvider: SessionSettings["executionProvider"];
  /** Threads inside one run. Workers times threads should not exceed the free cores. */
  intraOpThreads: number;
  precision: PrecisionWishes;
};

/** `networks`: one for each side, ascending; the last is the model's own. `fallback`: why it is not in int8. */
export type LoadedModel = {
  networks: readonly Network[];
  precision: NetworkPrecision;
  fallback: string | undefined;
};
