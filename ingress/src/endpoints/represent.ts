import { facesMax } from "@faceline/contracts/wire/task";
import type {
  RepresentQuery,
  RepresentResponse,
  RepresentRequest,
  RepresentResult,
} from "@faceline/contracts/http/represent";
import { qualityIssues } from "@faceline/contracts/http/quality";
import { encodeEmbedding } from "@faceline/contracts/wire/face";
import type * as z from "zod";
import { inputRef, orThrow } from "../call/api-error.ts";
import { type RequestContext, secondsSince } from "../call/context.ts";
import { dispatchImages, subjectsFrom } from "../dispatch/subjects.ts";
import { unitVector } from "../matching/distance.ts";
import { goodFaces, qualityRule } from "../matching/quality-rule.ts";
import type { SubjectFace } from "../matching/subject.ts";
import type { SelectedModels } from "../models/enabled-models.ts";
import type { RouteContext } from "./endpoint.ts";

/** POST /represent: the faces of an image, each with its embedding. */
export async function represent(
  { ports, models, inputs: reader }: RouteContext,
  call: RequestContext,
  body: RepresentRequest,
  { format }: z.infer<typeof RepresentQuery>,
): Promise<RepresentResponse | RepresentResult[]> {
  const names = [...new Set([body.model_name].flat())];
  const selected = names.map((model_name) => models.select({ ...body, model_name }));
  const [{ model, detector }] = selected as [SelectedModels];

  const rule = qualityRule(body);
  const values = [{ ref: inputRef("img"), value: body.img }];
  const comparison = { model, metric: "cosine", isModelNamed: false, modelVersion: undefined } as const;
  const inputs = reader.readInputs(values, comparison).map(orThrow);
  const options = {
    align: body.align,
    enforceDetection: body.enforce_detection,
    facesMax: Math.min(body.max_faces ?? facesMax, facesMax),
    fullResolution: body.max_faces !== 1,
  };
  const resultsOf = async ({ model: { name }, lane }: SelectedModels): Promise<RepresentResult[]> => {
    const answers = await dispatchImages(ports, call, { lane, options }, inputs);
    const [subject] = subjectsFrom(inputs, answers, detector);
    const { faces, build } = orThrow(goodFaces(orThrow(subject!), rule));
    return faces.map((face) => ({
      embedding: embeddingOf(face, body),
      facial_area: face.area!,
      face_confidence: face.confidence,
      quality: face.quality,
      quality_issues: face.quality && qualityIssues(face.quality),
      model_name: name,
      // The faces are those of an image, so a worker has embedded them.
      model_version: build!.modelVersion,
      precision: build!.precision,
    }));
  };
  // All at once: each holds the image's memory before the first of them releases it.
  const results = (await Promise.all(selected.map(resultsOf))).flat();
  if (format === "array") return results;
  return {
    results,
    model: model.name,
    detector_backend: detector.name,
    time: secondsSince(call, ports.clock.now()),
    request_id: call.requestId,
  };
}

function embeddingOf({ vector }: SubjectFace, body: RepresentRequest): number[] | string {
  const embedding = body.l2_normalize ? unitVector(vector) : vector;
  switch (body.embedding_format) {
    case "float":
      return Array.from(embedding);
    case "base64":
      return encodeEmbedding(Float32Array.from(embedding));
  }
}
