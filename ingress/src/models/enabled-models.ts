import type { ModelSelection } from "@faceline/accounts/models/allowlist";
import { type LaneId, laneId } from "@faceline/contracts/wire/ids";
import type { DetectorModel } from "@faceline/models/catalogue-entry";
import type { Recogniser } from "@faceline/models/model-pair";
import { ApiError } from "../call/api-error.ts";
import { type FalseMatchRates, falseMatchRatesOf, thresholdMax } from "../matching/false-match-rates.ts";
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
 * Returns the metric and threshold of a call, and what its response says of the threshold. The threshold is
 * the model's own where the call has none. Faces that are not aligned have no false match rate: theirs was
 * not measured.
 *
 * Throws `invalid_request` for a threshold that most pairs of different people are within, such as a
 * percentage or that of another library.
 */
export function matchRule(fields: ThresholdFields, { model, falseMatchRates }: SelectedModels) {
  const metric = fields.distance_metric;
  const own = model.thresholds[metric];
  const { threshold = own } = fields;
  const max = threshold > own ? thresholdMax(metric, model, falseMatchRates) : own;
  if (threshold > max) {
    const detail =
      `threshold is a distance: for ${metric} of ${model.name} it is between 0 and ${max}. ` +
      `A larger one would match most pairs of different people. Leave it out for the model's own, ${own}.`;
    throw new ApiError("invalid_request", detail, { field: "threshold" });
  }
  const rateOf = falseMatchRates?.of[metric] ?? (() => null);
  const falseMatchRate = fields.align ? rateOf : () => null;
  const rate = rateOf(threshold) ?? 0;
  const detail =
    `The threshold ${threshold} matches about ${Math.round(100 * rate)} % of pairs of different people. ` +
    `For ${metric}, ${model.name} has its own, ${own}: leave threshold out to use it.`;
  const warnings = threshold > own && rate > rateWarned ? [{ code: "threshold_too_high", detail }] : [];
  const replyFields = { threshold, threshold_false_match_rate: falseMatchRate(threshold), warnings };
  return { metric, threshold, falseMatchRate, replyFields };
}

/** Share of pairs of different people. A threshold that matches more of them comes with a warning. */
const rateWarned = 0.1;

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
