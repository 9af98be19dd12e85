import { SettingsError } from "@faceline/contracts/runtime/config";
import { type LaneId, laneId } from "@faceline/contracts/wire/ids";
import type { Catalogue } from "@faceline/models/catalogue";
import type { DetectorModel, EmbeddingModel } from "@faceline/models/catalogue-entry";
import { modelVersionOf } from "@faceline/models/model-version";
import { ApiError } from "../call/api-error.ts";
import type { MatchRule } from "../matching/ranking.ts";

// Covered by ./capabilities.test.ts and ./verify.test.ts.

/** The models and detectors that the operator enabled. */
export class EnabledModels {
  readonly embeddingModels: EmbeddingModel[];
  readonly detectors: DetectorModel[];
  readonly defaultModel: string;
  readonly defaultDetector: string;
  readonly #catalogue: Catalogue;
  /** Every pair of a model and a detector. */
  readonly lanes: ReadonlySet<string>;
  /** Numbers of the longest vector that one of the models has. */
  readonly vectorLengthMax: number;

  /** Throws a SettingsError that lists every enabled name that is not in the catalogue. */
  constructor(catalogue: Catalogue, settings: ModelSettings) {
    const unknown = [
      ...settings.MODELS_ENABLED.filter((name) => catalogue.find("embedding", name) === undefined).map(
        (name) => `  MODELS_ENABLED: the catalogue has no ${name}`,
      ),
      ...settings.DETECTORS_ENABLED.filter((name) => catalogue.find("detector", name) === undefined).map(
        (name) => `  DETECTORS_ENABLED: the catalogue has no ${name}`,
      ),
    ];
    if (unknown.length > 0) throw new SettingsError(unknown);
    this.#catalogue = catalogue;
    this.embeddingModels = settings.MODELS_ENABLED.map((name) => catalogue.find("embedding", name)!);
    this.vectorLengthMax = Math.max(...this.embeddingModels.map(({ embedding_size }) => embedding_size));
    this.detectors = settings.DETECTORS_ENABLED.map((name) => catalogue.find("detector", name)!);
    this.defaultModel = settings.MODEL_DEFAULT;
    this.defaultDetector = settings.DETECTOR_DEFAULT;
    this.lanes = new Set(
      this.embeddingModels.flatMap((model) =>
        this.detectors.map((detector) => laneId(model.name, detector.name)),
      ),
    );
  }

  /** The version of a model by the catalogue of this process: workers of another release run another one. */
  catalogueVersionOf(model: EmbeddingModel): string {
    return modelVersionOf(model, this.#catalogue.find("landmarks", model.landmarks)!);
  }

  /**
   * Returns the model and detector of a call, the defaults where it names none. Throws an ApiError that lists
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

    // Preprocessing is part of the model's graph, so another one than the model's own would be ignored
    // silently.
    if (!model.normalizations.includes(fields.normalization)) {
      throw notEnabled("normalization", "invalid_request", model.normalizations);
    }
    return { model, detector, lane: laneId(model.name, detector.name) };
  }
}

/** Returns the metric and threshold of a call; the threshold is the model's own where the call has none. */
export const matchRule = (fields: ThresholdFields, { model }: SelectedModels): MatchRule => ({
  metric: fields.distance_metric,
  threshold: fields.threshold ?? model.thresholds[fields.distance_metric],
});

const namesOf = (models: { name: string }[]): string[] => models.map(({ name }) => name);

function notEnabled(
  field: string,
  code: "model_not_allowed" | "detector_not_allowed" | "invalid_request",
  allowed: string[],
) {
  return new ApiError(code, `${field} must be one of: ${allowed.join(", ")}.`, { field });
}

type ModelSettings = {
  MODELS_ENABLED: string[];
  MODEL_DEFAULT: string;
  DETECTORS_ENABLED: string[];
  DETECTOR_DEFAULT: string;
};
type ModelFields = {
  model_name?: string | undefined;
  detector_backend?: string | undefined;
  normalization: string;
};
type ThresholdFields = { distance_metric: MatchRule["metric"]; threshold?: number | undefined };
type SelectedModels = { model: EmbeddingModel; detector: DetectorModel; lane: LaneId };
