import { Aligner } from "@faceline/inference/align/aligner";
import { alignmentTemplates } from "@faceline/inference/align/templates";
import { Detector, detectorLimits } from "@faceline/inference/detect/detector";
import { chipToTemplate, Embedder } from "@faceline/inference/embed/embedder";
import { Pipeline } from "@faceline/inference/engine/pipeline";
import { Warp } from "@faceline/inference/geometry/warp";
import { type LoadedModel, ModelLoader, tensorNames } from "@faceline/inference/network/model-loader";
import { Network } from "@faceline/inference/network/network";
import { PrecisionSetting } from "@faceline/inference/network/precision";
import { openSession } from "@faceline/inference/network/session";
import { type Catalogue, readCatalogue } from "@faceline/models/catalogue";
import {
  type DetectorModel,
  type EmbeddingModel,
  inputSides,
  type Model,
  type ModelOf,
} from "@faceline/models/catalogue-entry";
import { convert } from "@faceline/models/convert/networks";
import { isUnpulled } from "@faceline/models/source";

/**
 * Configurations of the pipeline to compare: what the service does by default, in float and in the precision
 * that it chooses on this machine; each input side of the default detector alone; the tiny detector; and the
 * other lanes of the catalogue's models, as the service runs them here for a call that wants one face.
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
    const smaller = [...family.ssd.networks.slice(0, -1), ...(await family.openExtraSides())];
    sizes.push(...smaller.toSorted((a, b) => a.px - b.px).map((network) => family.alone(network)));
  }
  const tiny = families.map((family) => family.withTiny());
  const lanes = await chosen.openOtherLanes(modelsDir);
  const moved = opened.move();
  return {
    all: [...full, ...cascades, ...sizes, ...tiny, ...lanes.configurations],
    unpulled: lanes.unpulled,
    reference: full[0]!.name,
    usual: cascades[1]!.name,
    served: [...full, ...cascades].map(({ name }) => name),
    fallbacks: chosen.fallbacks,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** All configurations of one precision. */
class Family implements AsyncDisposable {
  readonly name: string;
  readonly #parts: FamilyParts;
  readonly #warp = new Warp();
  readonly #extraSides: Network[] = [];

  constructor(parts: FamilyParts) {
    const { precision, loader } = parts;
    // Where a part fell back to float, it is neither int8 nor float.
    this.name = precision === "auto" && loader.fallbacks.length === 0 ? "int8" : precision;
    this.#parts = parts;
  }

  get ssd(): LoadedModel {
    return this.#parts.ssd;
  }

  get fallbacks(): string[] {
    return this.#parts.loader.fallbacks;
  }

  cascade(): Configuration {
    const { models, ssd } = this.#parts;
    const sides = inputSides(models.ssd).join(", ");
    return this.#default(`cascade of ${sides}`, models.ssd, ssd.networks);
  }

  alone(network: Network): Configuration {
    return this.#default(`${network.px} alone`, this.#parts.models.ssd, [network]);
  }

  withTiny(): Configuration {
    return this.#default("tiny", this.#parts.models.tiny, this.#parts.tiny.networks);
  }

  /** Every other pair of an embedding model and a detector whose weights are here. */
  async openOtherLanes(modelsDir: string): Promise<{ configurations: Configuration[]; unpulled: string[] }> {
    const { catalogue, loader, models } = this.#parts;
    const isHere = ({ source }: Model) => !isUnpulled(modelsDir, source);
    const configurations: Configuration[] = [];
    for (const embedding of catalogue.all("embedding").filter(isHere)) {
      for (const detector of catalogue.all("detector").filter(isHere)) {
        if (embedding === models.embedding && [models.ssd, models.tiny].includes(detector)) continue;
        const { networks } = await loader.load(detector, 1);
        const name = `${embedding.name}/${detector.name}`;
        configurations.push(
          this.#configuration(name, { detector, networks, embedding }, await loader.load(embedding, 1)),
        );
      }
    }
    const unpulled = catalogue.models.filter((model) => !isHere(model)).map(({ name }) => name);
    return { configurations, unpulled };
  }

  /** Input sides that the catalogue does not have, converted in memory. */
  async openExtraSides(): Promise<readonly Network[]> {
    const { models, ssd } = this.#parts;
    for (const px of extraSidesPx) {
      const onnx = await convert(models.ssd, { precision: ssd.precision.precision, input_px: px });
      this.#extraSides.push(
        await Network.open(
          { name: `ssd-${px}`, px, tensors: tensorNames(models.ssd) },
          await openSession(onnx, sessionSettings),
          [1],
        ),
      );
    }
    return this.#extraSides;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const network of this.#extraSides) await network[Symbol.asyncDispose]();
    await this.#parts.loader[Symbol.asyncDispose]();
  }

  #default(how: string, detector: DetectorModel, networks: readonly Network[]): Configuration {
    const { models, embedding } = this.#parts;
    return this.#configuration(
      `${this.name}, ${how}`,
      { detector, networks, embedding: models.embedding },
      embedding,
    );
  }

  #configuration(
    name: string,
    { detector, networks, embedding }: ChosenModels,
    { networks: embedders }: LoadedModel,
  ): Configuration {
    const { landmarks, models } = this.#parts;
    const template = alignmentTemplates[models.landmarks.scheme];
    const pipeline = new Pipeline({
      detector: new Detector(networks, detectorLimits(detector)),
      aligner: new Aligner(landmarks.networks.at(-1)!, this.#warp, template),
      embedders: [new Embedder(embedders.at(-1)!, this.#warp, chipToTemplate(embedding, template))],
      weights: [1],
    });
    return { name, embedding, pipeline };
  }
}

async function openFamily(modelsDir: string, precision: "float" | "auto"): Promise<Family> {
  const catalogue = await readCatalogue();
  const embedding = catalogue.find("embedding", "Dlib")!;
  const models = {
    embedding,
    ssd: catalogue.find("detector", "ssd")!,
    tiny: catalogue.find("detector", "tiny")!,
    landmarks: catalogue.find("landmarks", embedding.landmarks)!,
  };
  const loader = new ModelLoader(catalogue, {
    modelsDir,
    precision: PrecisionSetting.parse(precision),
    ...sessionSettings,
  });
  return new Family({
    precision,
    catalogue,
    loader,
    models,
    ssd: await loader.load(models.ssd, 1),
    tiny: await loader.load(models.tiny, 1),
    landmarks: await loader.load(models.landmarks, 1),
    embedding: await loader.load(embedding, 1),
  });
}

const sessionSettings = { executionProvider: "cpu", intraOpThreads: 1 } as const;
/** Precisions between those of the cascade. */
const extraSidesPx = [160, 288, 384];

type Configuration = { name: string; embedding: EmbeddingModel; pipeline: Pipeline };

/** `networks` are those of the detector. */
type ChosenModels = { detector: DetectorModel; networks: readonly Network[]; embedding: EmbeddingModel };

type Configurations = AsyncDisposable & {
  all: readonly Configuration[];
  /** Models that are not here, so their lanes are not measured. */
  unpulled: readonly string[];
  /** The one that others are compared with: full resolution only, in float. */
  reference: string;
  /** The configuration of the service on this machine for a call that wants one face. */
  usual: string;
  /** Those that the service uses on some machine for some call. */
  served: readonly string[];
  /** Reasons by the model that runs in float instead of int8. */
  fallbacks: readonly string[];
};

type FamilyParts = {
  precision: "float" | "auto";
  catalogue: Catalogue;
  loader: ModelLoader;
  models: {
    ssd: DetectorModel;
    tiny: DetectorModel;
    landmarks: ModelOf<"landmarks">;
    embedding: EmbeddingModel;
  };
  ssd: LoadedModel;
  tiny: LoadedModel;
  landmarks: LoadedModel;
  embedding: LoadedModel;
};
