import type { ModelSelection } from "@faceline/accounts/models/allowlist";
import { type LaneId, laneId } from "@faceline/contracts/wire/ids";
import { type DetectorModel, distancesMax } from "@faceline/models/catalogue-entry";
import type { Recogniser } from "@faceline/models/model-pair";
import { ApiError } from "../call/api-error.ts";
import { type FalseMatchRates, falseMatchRatesOf } from "../matching/false-match-rates.ts";
import type { MatchRule } from "../matching/ranking.ts";

/** The models and detectors that are enabled. It does not change: a call works with one to its end. */
export class EnabledModels {
  readonly embeddingModels: Recogniser[];
  readonly detectors: DetectorModel[];
  readonly defaultModel: string;
  readonly defaultDetector: string;
  /** The same by their names. */
  readonly selection: ModelSelection;
  /** Every pair of a model and a detector. */
  readonly lanes: ReadonlySet<string>;
  /** Numbers of the longest vector that one of the models has. */
  readonly vectorLengthMax: number;
  /** Keyed by the name of the model. */
  readonly falseMatchRates: ReadonlyMap<string, FalseMatchRates | null>;

  /** Selects from the loaded models and detectors. */
  constructor(loaded: LoadedEntries, selection: ModelSelection) {
    const { models, detectors } = selection;
    this.selection = selection;
    this.embeddingModels = loaded.embeddingModels.filter(({ name }) => models.names.includes(name));
    this.detectors = loaded.detectors.filter(({ name }) => detectors.names.includes(name));
    this.vectorLengthMax = Math.max(...this.embeddingModels.map(({ embedding_size }) => embedding_size));
    this.falseMatchRates = new Map(
      this.embeddingModels.map((model) => [model.name, falseMatchRatesOf(model)]),
    );
    this.defaultModel = models.default;
    this.defaultDetector = detectors.default;
    this.lanes = new Set(
      this.embeddingModels.flatMap((model) =>
        this.detectors.map((detector) => laneId(model.name, detector.name)),
      ),
    );
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
    const falseMatchRates = this.falseMatchRates.get(model.name) ?? null;
    return { model, detector, lane: laneId(model.name, detector.name), falseMatchRates };
  }
}

/**
 * Returns the metric and threshold of a call; the threshold is the model's own where the call has none. Faces
 * that are not aligned have no false match rate: theirs was not measured.
 *
 * Throws `invalid_request` for a threshold that no distance exceeds, such as a percentage: it would match
 * everybody.
 */
export function matchRule(fields: ThresholdFields, { model, falseMatchRates }: SelectedModels): MatchRule {
  const { distance_metric: metric, threshold = model.thresholds[metric] } = fields;
  const max = distancesMax(model)[metric];
  const falseMatchRate = (fields.align && falseMatchRates?.of[metric]) || (() => null);
  if (threshold <= max) return { metric, threshold, falseMatchRate };
  const detail = `threshold is a distance: for ${metric} of ${model.name} it is between 0 and ${max}.`;
  throw new ApiError("invalid_request", detail, { field: "threshold" });
}

const namesOf = (models: { name: string }[]): string[] => models.map(({ name }) => name);

function notEnabled(
  field: string,
  code: "model_not_allowed" | "detector_not_allowed" | "invalid_request",
  allowed: string[],
) {
  return new ApiError(code, `${field} must be one of: ${allowed.join(", ")}.`, { field });
}

type LoadedEntries = { embeddingModels: Recogniser[]; detectors: DetectorModel[] };
type ModelFields = {
  model_name?: string | undefined;
  detector_backend?: string | undefined;
  normalization: string;
};
type ThresholdFields = {
  distance_metric: MatchRule["metric"];
  threshold?: number | undefined;
  align: boolean;
};
type SelectedModels = {
  model: Recogniser;
  detector: DetectorModel;
  lane: LaneId;
  falseMatchRates: FalseMatchRates | null;
};
