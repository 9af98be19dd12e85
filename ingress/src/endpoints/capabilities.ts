import type { CapabilitiesReply } from "@faceline/contracts/http/capabilities";
import { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { EmbeddingFormat } from "@faceline/contracts/http/represent";
import { FacePolicy } from "@faceline/contracts/http/verify";
import { imageFormats } from "@faceline/contracts/image/format";
import type { LaneState } from "@faceline/contracts/wire/pool-state";
import { licenseOf } from "@faceline/models/catalogue";
import type { EmbeddingModel, Model } from "@faceline/models/catalogue-entry";
import { type HttpSettings, version } from "../config.ts";
import type { EnabledModels } from "./enabled-models.ts";
import type { RouteContext } from "./endpoint.ts";

/** GET /capabilities: what the operator enabled, what of it has live workers, and the limits of a call. */
export async function capabilities({ ports, settings, models }: RouteContext): Promise<CapabilitiesReply> {
  const liveLanes = ports.poolStates().flatMap(({ lanes }) => lanes.filter(({ workers }) => workers > 0));
  const modelEntries = models.embeddingModels.map((model) => {
    const lane = liveLanes.find(({ lane }) => lane.startsWith(`${model.name}/`));
    return [model.name, modelDetails(model, lane)] as const;
  });
  const detectorEntries = models.detectors.map((detector) => {
    const lane = liveLanes.find(({ lane }) => lane.endsWith(`/${detector.name}`));
    return [detector.name, graphDetails(detector, lane)] as const;
  });
  return {
    models: modelEntries.map(([name]) => name),
    default_model: models.defaultModel,
    detectors: detectorEntries.map(([name]) => name),
    default_detector: models.defaultDetector,
    distance_metrics: DistanceMetric.options,
    normalizations: [...new Set(models.embeddingModels.flatMap(({ normalizations }) => normalizations))],
    image_formats: [...imageFormats],
    model_details: Object.fromEntries(modelEntries),
    detector_details: Object.fromEntries(detectorEntries),
    limits: requestLimits(settings, models),
    features: {
      face_policies: FacePolicy.options,
      embedding_formats: EmbeddingFormat.options,
      vectors: true,
      anti_spoofing: false,
      thresholds_unaligned: "unmeasured",
    },
    version,
  };
}

const modelDetails = (model: EmbeddingModel, lane: LaneState | undefined) => ({
  embedding_size: model.embedding_size,
  thresholds: model.thresholds,
  thresholds_from: model.thresholds_from,
  normalizations: model.normalizations,
  ...graphDetails(model, lane),
  batch_max: lane?.batchMax ?? null,
  execution_provider: lane?.executionProvider ?? null,
});

function graphDetails(model: Model, lane: LaneState | undefined) {
  const running = lane?.precisions.find((precision) => precision.model === model.name);
  const build = model.builds.find(
    ({ precision, input_px }) => precision === running?.precision && input_px === model.input_px,
  );
  return {
    license: licenseOf(model),
    sha256: (build ?? model.builds[0]!).sha256,
    precision: running?.precision ?? null,
    precision_fallback: running?.fallback ?? false,
    status: lane === undefined ? ("unavailable" as const) : ("ready" as const),
  };
}

const requestLimits = (settings: HttpSettings, models: EnabledModels): CapabilitiesReply["limits"] => ({
  body_bytes: settings.BODY_BYTES_MAX,
  image_bytes: settings.IMAGE_BYTES_MAX,
  image_pixels: settings.IMAGE_PIXELS_MAX,
  image_decoding_bytes: settings.IMAGE_DECODING_BYTES_MAX,
  image_side_min_px: settings.IMAGE_SIDE_MIN_PX,
  candidate_vectors: settings.CANDIDATE_VECTORS_MAX,
  candidate_images: settings.CANDIDATE_IMAGES_MAX,
  vector_length: models.vectorLengthMax,
  faces: settings.FACES_MAX,
  deadline_default_ms: settings.DEADLINE_DEFAULT_MS,
  deadline_min_ms: settings.DEADLINE_MIN_MS,
  deadline_max_ms: settings.DEADLINE_MAX_MS,
  team_requests_per_second: settings.TEAM_REQUESTS_PER_SECOND,
  team_requests_burst: settings.TEAM_REQUESTS_BURST,
  team_in_flight: settings.TEAM_IN_FLIGHT_MAX,
});
