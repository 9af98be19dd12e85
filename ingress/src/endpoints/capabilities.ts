import { decodingBytesMax } from "@faceline/images/decoding-bytes";
import { imageSideMinPx } from "@faceline/images/header";
import { facesMax } from "@faceline/contracts/wire/task";
import type { CapabilitiesResponse, RunningBuild } from "@faceline/contracts/http/capabilities";
import { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { EmbeddingFormat } from "@faceline/contracts/http/represent";
import { FacePolicy } from "@faceline/contracts/http/verify";
import { imageFormats } from "@faceline/images/format";
import type { ModelCard } from "@faceline/contracts/http/model-card";
import type { LaneState } from "@faceline/contracts/wire/pool-state";
import { version } from "@faceline/runtime/resource";
import { licenseOf } from "@faceline/models/catalogue";
import type { EmbeddingModel, Model } from "@faceline/models/catalogue-entry";
import { type DetectorChoice, detectorsOf } from "@faceline/models/detector-choice";
import { deadlineMinMs } from "../call/request-headers.ts";
import { type HttpSettings, testerIsOn } from "../config.ts";
import { thresholdMax } from "../matching/false-match-rates.ts";
import type { EnabledModels } from "../models/enabled-models.ts";
import type { RouteContext } from "./endpoint.ts";
import { versionsOf } from "./model-versions.ts";

/** GET /capabilities: what the operator enabled, what of it has live workers, and the limits. */
export async function capabilities({ ports, settings, models }: RouteContext): Promise<CapabilitiesResponse> {
  const usableLanes = ports.poolStates().flatMap(({ lanes }) => lanes.filter(({ workers }) => workers > 0));
  const modelEntries = models.embeddingModels.map((model) => {
    const lanes = usableLanes.filter(({ lane }) => lane.startsWith(`${model.name}/`));
    const [version] = versionsOf(model, models, ports.poolStates());
    const rates = models.falseMatchRates.get(model.name) ?? null;
    const max = (metric: DistanceMetric) => thresholdMax(metric, model, rates);
    const false_match_rate_from = rates ? { source: rates.source, pairs: rates.pairs } : null;
    const thresholds_max = {
      cosine: max("cosine"),
      euclidean: max("euclidean"),
      euclidean_l2: max("euclidean_l2"),
    };
    const details = { ...modelDetails(model, lanes), thresholds_max, false_match_rate_from };
    const card = models.cards.get(model.name) ?? null;
    return [model.name, { model_version: version!, ...details, card }] as const;
  });
  const detectorEntries = models.detectors.map((detector) => {
    const lanes = usableLanes.filter(({ lane }) => lane.endsWith(`/${detector.name}`));
    const card = withoutRates(models.cards.get(detector.name));
    return [detector.name, { ...detectorDetails(detector, lanes), card }] as const;
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
      tester: testerIsOn(settings),
      thresholds_unaligned: "unmeasured",
    },
    version,
  };
}

const modelDetails = (model: EmbeddingModel, lanes: LaneState[]) => ({
  embedding_size: model.embedding_size,
  thresholds: model.thresholds,
  thresholds_from: model.thresholds_from,
  thresholds_calibration: model.thresholds_calibration ?? null,
  normalizations: model.normalizations,
  ...graphDetails([model], [model.landmarks], lanes),
  batch_max: lanes[0]?.batchMax ?? null,
  execution_provider: lanes[0]?.executionProvider ?? null,
});

/** Drops error rates, which say more about the recogniser: they are most of a response. */
function withoutRates(card: ModelCard | undefined): ModelCard | null {
  if (card === undefined) return null;
  return { ...card, conditions: card.conditions.map((condition) => ({ ...condition, rates: null })) };
}

const detectorDetails = (detector: DetectorChoice, lanes: LaneState[]) => ({
  ...graphDetails(detectorsOf(detector), [], lanes),
  missed_width_share: detector.first.cascade?.missed_width_share ?? null,
  found_width_share: detector.first.found_width_share ?? null,
});

/** The fields beside `builds` are those of its first entry. */
function graphDetails(networks: readonly Model[], landmarks: readonly string[], lanes: LaneState[]) {
  const names = [...networks.map(({ name }) => name), ...landmarks];
  const builds = names.flatMap((name) => runningBuilds(name, lanes));
  const [first] = builds;
  return {
    license: licenseOf({ licenses: networks.flatMap(({ licenses }) => licenses) }),
    sha256: first?.sha256 ?? networks[0]!.builds[0]!.sha256,
    precision: first?.precision ?? null,
    precision_fallback: first?.precision_fallback ?? false,
    status: lanes.length === 0 ? ("unavailable" as const) : ("ready" as const),
    builds,
  };
}

/** Returns the builds of a network that workers have reported, each once. */
function runningBuilds(name: string, lanes: LaneState[]): RunningBuild[] {
  const builds = new Map<string, RunningBuild>();
  for (const { precisions, executionProvider } of lanes.filter(({ workers }) => workers > 0)) {
    for (const { model, precision, fallback, sha256 } of precisions) {
      if (model !== name) continue;
      builds.set(`${sha256} ${fallback} ${executionProvider}`, {
        name,
        sha256,
        precision,
        precision_fallback: fallback,
        execution_provider: executionProvider,
      });
    }
  }
  return [...builds.values()];
}

/** Returns the limits of a call, by the operator's settings. */
export const requestLimits = (
  settings: HttpSettings,
  { vectorLengthMax }: EnabledModels,
): CapabilitiesResponse["limits"] => ({
  body_bytes: settings.BODY_BYTES_MAX,
  image_bytes: settings.IMAGE_BYTES_MAX,
  image_pixels: settings.IMAGE_PIXELS_MAX,
  image_decoding_bytes: decodingBytesMax,
  image_side_min_px: imageSideMinPx,
  candidate_vectors: settings.CANDIDATE_VECTORS_MAX,
  candidate_images: settings.CANDIDATE_IMAGES_MAX,
  vector_length: vectorLengthMax,
  faces: facesMax,
  deadline_default_ms: settings.DEADLINE_DEFAULT_MS,
  deadline_min_ms: deadlineMinMs,
  deadline_max_ms: settings.DEADLINE_MAX_MS,
  team_requests_per_second: settings.TEAM_REQUESTS_PER_SECOND,
  team_requests_burst: settings.TEAM_REQUESTS_BURST,
  team_in_flight: settings.TEAM_IN_FLIGHT_MAX,
});
