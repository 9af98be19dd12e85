import { type DetectorModel, readCatalogue, sidesOf } from "@faceline/models/catalogue";
import { convert } from "@faceline/models/convert/networks";
import { Aligner } from "../align/aligner.ts";
import { Warp } from "../align/warp.ts";
import { Detector, limitsOf } from "../detect/detector.ts";
import { Embedder } from "../embed/embedder.ts";
import { LANDMARKS } from "../engine/lanes.ts";
import { type LoadedModel, Loading } from "../engine/loading.ts";
import { Network } from "../engine/network.ts";
import { Pipeline } from "../engine/pipeline.ts";
import { PrecisionWishes } from "../engine/precision.ts";
import { openSession } from "../engine/provider.ts";

/**
 * Ways to look for a face and to embed it: what the service does, in float and in the precision that it chooses for
 * itself on this machine; each size of the detector alone; and the tiny detector.
 */
export async function openConfigurations(modelsDir: string): Promise<Configurations> {
  await using opened = new AsyncDisposableStack();
  const float = opened.use(await openFamily(modelsDir, "float"));
  const chosen = opened.use(await openFamily(modelsDir, "auto"));
  const families = [float, chosen];

  const full = families.map((family) => family.alone(family.ssd.networks.at(-1)!));
  const cascades = families.map((family) => family.cascade());
  const sizes: Configuration[] = [];
  for (const family of families) {
    const smaller = [...family.ssd.networks.slice(0, -1), ...(await family.openFurther())];
    sizes.push(...smaller.toSorted((a, b) => a.px - b.px).map((network) => family.alone(network)));
  }
  const tiny = families.map((family) => family.withTiny());
  const moved = opened.move();
  return {
    all: [...full, ...cascades, ...sizes, ...tiny],
    reference: full[0]!.name,
    usual: cascades[1]!.name,
    served: [...full, ...cascades].map(({ name }) => name),
    fallbacks: chosen.fallbacks,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** All of one precision. */
class Family implements AsyncDisposable {
  readonly name: string;
  readonly #parts: FamilyParts;
  readonly #warp = new Warp();
  readonly #further: Network[] = [];

  constructor(parts: FamilyParts) {
    const { wish, loading } = parts;
    // Where some of it is in float after all, it is neither.
    this.name = wish === "auto" && loading.fallbacks.length === 0 ? "int8" : wish;
    this.#parts = parts;
  }

  get ssd(): LoadedModel {
    return this.#parts.ssd;
  }

  get fallbacks(): string[] {
    return this.#parts.loading.fallbacks;
  }

  cascade(): Configuration {
    const { models, ssd } = this.#parts;
    const sides = sidesOf(models.ssd).join(", ");
    return this.#configuration(`cascade of ${sides}`, models.ssd, ssd.networks);
  }

  alone(network: Network): Configuration {
    return this.#configuration(`${network.px} alone`, this.#parts.models.ssd, [network]);
  }

  withTiny(): Configuration {
    return this.#configuration("tiny", this.#parts.models.tiny, this.#parts.tiny.networks);
  }

  /** Sizes that the catalogue has not, made in memory. */
  async openFurther(): Promise<readonly Network[]> {
    const { models, ssd } = this.#parts;
    for (const px of FURTHER_PX) {
      const onnx = await convert(models.ssd, { precision: ssd.precision.precision, input_px: px });
      this.#further.push(
        await Network.open({ name: `ssd-${px}`, px }, await openSession(onnx, SETTINGS), [1]),
      );
    }
    return this.#further;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const network of this.#further) await network[Symbol.asyncDispose]();
    await this.#parts.loading[Symbol.asyncDispose]();
  }

  #configuration(how: string, model: DetectorModel, networks: readonly Network[]): Configuration {
    const { landmarks, embedding } = this.#parts;
    const pipeline = new Pipeline({
      detector: new Detector(networks, limitsOf(model)),
      aligner: new Aligner(landmarks.networks.at(-1)!, this.#warp),
      embedder: new Embedder(embedding.networks.at(-1)!, this.#warp),
      residualMaxPx: RESIDUAL_MAX_PX,
    });
    return { name: `${this.name}, ${how}`, pipeline };
  }
}

async function openFamily(modelsDir: string, wish: "float" | "auto"): Promise<Family> {
  const catalogue = await readCatalogue();
  const models = { ssd: catalogue.find("detector", "ssd")!, tiny: catalogue.find("detector", "tiny")! };
  const loading = new Loading(catalogue, { modelsDir, precision: PrecisionWishes.parse(wish), ...SETTINGS });
  return new Family({
    wish,
    loading,
    models,
    ssd: await loading.load("detector", "ssd", 1),
    tiny: await loading.load("detector", "tiny", 1),
    landmarks: await loading.load("landmarks", LANDMARKS, 1),
    embedding: await loading.load("embedding", "Dlib", 1),
  });
}

const SETTINGS = { executionProvider: "cpu", intraOpThreads: 1 } as const;
/** The service's own default. */
const RESIDUAL_MAX_PX = 6;
/** Between and beside those of the cascade. */
const FURTHER_PX = [160, 288, 384];

export type Configuration = { name: string; pipeline: Pipeline };

export type Configurations = AsyncDisposable & {
  all: readonly Configuration[];
  /** What the others are held against: the full size alone, in float. */
  reference: string;
  /** What the service does here where a call wants one face. */
  usual: string;
  /** What the service does on some machine, for some call. */
  served: readonly string[];
  /** Why some of it runs in float that was to run in int8. */
  fallbacks: readonly string[];
};

type FamilyParts = {
  wish: "float" | "auto";
  loading: Loading;
  models: { ssd: DetectorModel; tiny: DetectorModel };
  ssd: LoadedModel;
  tiny: LoadedModel;
  landmarks: LoadedModel;
  embedding: LoadedModel;
};
