import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { type LaneId, laneId } from "@faceline/contracts/wire/ids";
import type { Catalogue, DetectorModel, EmbeddingModel } from "@faceline/models/catalogue";
import { Refusal } from "./refusal.ts";
import type { HttpSettings } from "./settings.ts";

/** The models and detectors that the operator enabled. A name that is not in the catalogue is refused at start. */
export class Offer {
  readonly models: EmbeddingModel[];
  readonly detectors: DetectorModel[];
  readonly defaultModel: string;
  readonly defaultDetector: string;
  /** Every pair of them. */
  readonly lanes: Set<string>;

  constructor(catalogue: Catalogue, settings: HttpSettings) {
    this.models = settings.MODELS_ENABLED.map(
      (name) => catalogue.find("embedding", name) ?? unknown("MODELS_ENABLED", name),
    );
    this.detectors = settings.DETECTORS_ENABLED.map(
      (name) => catalogue.find("detector", name) ?? unknown("DETECTORS_ENABLED", name),
    );
    this.defaultModel = settings.MODEL_DEFAULT;
    this.defaultDetector = settings.DETECTOR_DEFAULT;
    this.lanes = new Set(
      this.models.flatMap((model) => this.detectors.map((detector) => laneId(model.name, detector.name))),
    );
  }

  /** What a call asked for, or stands for where it asked for nothing. The names it sent are not repeated to it. */
  choose(asked: Asked): Choice {
    const modelName = asked.model_name ?? this.defaultModel;
    const model = this.models.find(({ name }) => name === modelName);
    if (model === undefined) throw notOffered("model_name", "model_not_allowed", namesOf(this.models));

    const detectorName = asked.detector_backend ?? this.defaultDetector;
    const detector = this.detectors.find(({ name }) => name === detectorName);
    if (detector === undefined) {
      throw notOffered("detector_backend", "detector_not_allowed", namesOf(this.detectors));
    }

    // The right preprocessing is part of the model's graph: another one would be silently ignored.
    if (!model.normalizations.includes(asked.normalization)) {
      throw notOffered("normalization", "invalid_request", model.normalizations);
    }
    return { model, detector, lane: laneId(model.name, detector.name) };
  }
}

/** What a distance is measured by and held against. */
export const ruleOf = (
  asked: AskedRule,
  { model }: Choice,
): { metric: DistanceMetric; threshold: number } => ({
  metric: asked.distance_metric,
  threshold: asked.threshold ?? model.thresholds[asked.distance_metric],
});

const namesOf = (models: { name: string }[]): string[] => models.map(({ name }) => name);

function notOffered(
  field: string,
  code: "model_not_allowed" | "detector_not_allowed" | "invalid_request",
  allowed: string[],
) {
  return new Refusal(code, `${field} must be one of: ${allowed.join(", ")}.`, { field });
}

function unknown(setting: string, name: string): never {
  throw new Error(`settings:\n  ${setting}: the catalogue has no ${name}`);
}

type Asked = {
  model_name?: string | undefined;
  detector_backend?: string | undefined;
  normalization: string;
};
type AskedRule = { distance_metric: DistanceMetric; threshold?: number | undefined };
export type Choice = { model: EmbeddingModel; detector: DetectorModel; lane: LaneId };
