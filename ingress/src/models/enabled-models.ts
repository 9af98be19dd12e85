import type { ModelCard } from "@faceline/contracts/http/model-card";
import { type LaneId, laneId } from "@faceline/contracts/wire/ids";
import type { Catalogue } from "@faceline/models/catalogue";
import type { DetectorChoice } from "@faceline/models/detector-choice";
import type { EmbeddingModel } from "@faceline/models/catalogue-entry";
import { modelVersionOf } from "@faceline/models/model-version";
import { SettingsError } from "@faceline/runtime/config";
import { ApiError } from "../call/api-error.ts";
import { type FalseMatchRates, falseMatchRatesOf } from "../matching/false-match-rates.ts";

/** The models and detectors of the settings, which requests may use. */
export class EnabledModels {
  readonly embeddingModels: EmbeddingModel[];
  readonly detectors: DetectorChoice[];
  /** The first of MODELS: for calls that name none. */
  readonly defaultModel: string;
  readonly defaultDetector: string;
  /** Every pair of a model and a detector. */
  readonly lanes: ReadonlySet<string>;
  /** Numbers of the longest vector that one of the models has. */
  readonly vectorLengthMax: number;
  /** Keyed by the name of the model. */
  readonly falseMatchRates: ReadonlyMap<string, FalseMatchRates | null>;
  readonly #catalogue: Catalogue;

  /** Throws a SettingsError that lists every name of the settings that is not in the catalogue. */
  constructor(catalogue: Catalogue, { MODELS, DETECTORS }: ModelSettings) {
    const unknown = [
      ...MODELS.filter((name) => catalogue.find("embedding", name) === undefined).map(
        (name) => `MODELS: the catalogue has no ${name}`,
      ),
      ...DETECTORS.filter((name) => catalogue.detector(name) === undefined).map(
        (name) => `DETECTORS: the catalogue has no ${name}`,
      ),
    ];
    if (unknown.length > 0) throw new SettingsError(unknown);
    this.#catalogue = catalogue;
    this.embeddingModels = MODELS.map((name) => catalogue.find("embedding", name)!);
    this.detectors = DETECTORS.map((name) => catalogue.detector(name)!);
    this.vectorLengthMax = Math.max(...this.embeddingModels.map(({ embedding_size }) => embedding_size));
    this.falseMatchRates = new Map(
      this.embeddingModels.map((model) => [model.name, falseMatchRatesOf(model)]),
    );
    this.defaultModel = MODELS[0]!;
    this.defaultDetector = DETECTORS[0]!;
    this.lanes = new Set(
      this.embeddingModels.flatMap((model) =>
        this.detectors.map((detector) => laneId(model.name, detector.name)),
      ),
    );
  }

  /** What was measured here of models and detectors, by their names. */
  get cards(): ReadonlyMap<string, ModelCard> {
    return this.#catalogue.cards;
  }

  /** The version of a model in this process' catalogue; another build may run another one. */
  catalogueVersionOf(model: EmbeddingModel): string {
    return modelVersionOf(model, this.#catalogue.find("landmarks", model.landmarks)!);
  }

  /**
   * Returns the model and detector of a call, the defaults if it names none. Throws an ApiError that lists
   * the allowed names; the names that were sent are not repeated.
   */
  select(fields: ModelFields): SelectedModels {
    const modelName = fields.model_name ?? this.defaultModel;
    const model = this.embeddingModels.find(({ name }) => name === modelName);
    if (model === undefined)
      throw notEnabled("model_name", "model_not_allowed", namesOf(this.embeddingModels));

    const detectorName = fields.detector_backend ?? this.defaultDetector;
    const detector = this.detectors.find(({ name }) => name === detectorName);
    if (detector === undefined) {
      throw notEnabled("detector_backend", "detector_not_allowed", namesOf(this.detectors));
    }

    // Preprocessing is part of the model's graph, so any other than the model's own would be ignored
    // silently.
    if (!model.normalizations.includes(fields.normalization)) {
      throw notEnabled("normalization", "invalid_request", model.normalizations);
    }
    const falseMatchRates = this.falseMatchRates.get(model.name) ?? null;
    return { model, detector, lane: laneId(model.name, detector.name), falseMatchRates };
  }
}

const namesOf = (models: { name: string }[]): string[] => models.map(({ name }) => name);

function notEnabled(
  field: string,
  code: "model_not_allowed" | "detector_not_allowed" | "invalid_request",
  allowed: string[],
) {
  return new ApiError(code, `${field} must be one of: ${allowed.join(", ")}.`, { field });
}

type ModelSettings = { MODELS: string[]; DETECTORS: string[] };
type ModelFields = {
  model_name?: string | undefined;
  detector_backend?: string | undefined;
  normalization: string;
};
export type SelectedModels = {
  model: EmbeddingModel;
  detector: DetectorChoice;
  lane: LaneId;
  falseMatchRates: FalseMatchRates | null;
};
