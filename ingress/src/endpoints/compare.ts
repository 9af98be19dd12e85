import { facesMax } from "@faceline/contracts/wire/task";
import type { CompareResponse, CompareRequest } from "@faceline/contracts/http/compare";
import { ApiError, inputRef, orThrow } from "../call/api-error.ts";
import { type RequestContext, secondsSince } from "../call/context.ts";
import { dispatchImages, subjectsFrom } from "../dispatch/subjects.ts";
import type { InputValue } from "../images/inputs.ts";
import { commonBuild } from "../matching/common-build.ts";
import { goodFaces, qualityRule } from "../matching/quality-rule.ts";
import { mostReferences, onePerPerson } from "../matching/references.ts";
import { firstError, rankCandidates } from "../matching/ranking.ts";
import { faceFound, type Subject, type SubjectFace } from "../matching/subject.ts";
import { matchRule } from "../models/match-rule.ts";
import { readCandidates } from "./candidates.ts";
import type { RouteContext } from "./endpoint.ts";
import { requireSameVersion, selectByVersion } from "./model-versions.ts";

/** POST /compare: which of many is nearest to one? */
export async function compare(
  { ports, settings, models, inputs: reader }: RouteContext,
  call: RequestContext,
  body: CompareRequest,
): Promise<CompareResponse> {
  const { model_version: ownVersion, model_name = ownVersion } = body;
  const candidates = readCandidates(body.candidates, {
    ...settings,
    vectorLengthMax: models.vectorLengthMax,
  });
  const modelVersion = ownVersion ?? candidates.find((each) => each.modelVersion !== undefined)?.modelVersion;
  const selected = selectByVersion(models, ports.poolStates(), { ...body, model_version: modelVersion });
  const rule = matchRule(body, selected, mostReferences(candidates.map(({ person }) => person)));

  const quality = qualityRule(body);
  const values = [sourceInput(body), ...candidates.map(({ input }) => input)];
  const { model } = selected;
  const isModelNamed = model_name !== undefined;
  const inputs = reader.readInputs(values, { model, metric: rule.metric, isModelNamed, modelVersion });
  const [source, ...candidateInputs] = inputs;
  const { kind } = orThrow(source!);
  // Without a candidate to compare with, no worker needs to look at the source.
  if (candidateInputs.every((input) => input instanceof ApiError)) throw firstError(candidateInputs);

  const options = {
    align: body.align,
    enforceDetection: body.enforce_detection,
    facesMax,
    // A face index counts all faces, also those that a reduced resolution would miss.
    fullResolution: body.all_faces || body.face_index > 0,
  };
  const answers = await dispatchImages(ports, call, { lane: selected.lane, options }, inputs);
  const all = subjectsFrom(inputs, answers, selected.detector);
  requireSameVersion(modelVersion, commonBuild(all));
  const [sourceSubject, ...subjects] = all;
  const subject = orThrow(sourceSubject!);
  const face = selectFace(subject, body.face_index);
  // Only the chosen face: an index counts all faces.
  orThrow(goodFaces({ ...subject, faces: [face] }, quality));
  const shown = candidates.map(({ index, id, person }) => {
    const candidate = subjects[index]!;
    const good = candidate instanceof ApiError ? candidate : goodFaces(candidate, quality);
    return { index, id, person, subject: good };
  });
  const { results, best_match } = rankCandidates(face, onePerPerson(shown, model), rule);

  return {
    model_name: model.name,
    distance_metric: rule.metric,
    metric: rule.metric,
    source: {
      type: kind,
      vector_length: face.vector.length,
      face_index: kind === "image" ? body.face_index : null,
      face_found: faceFound(subject),
      facial_area: face.area,
    },
    results,
    ...rule.responseFields,
    best_match,
    time: secondsSince(call, ports.clock.now()),
    request_id: call.requestId,
  };
}

function sourceInput({ img, vector }: CompareRequest): InputValue {
  if (img !== undefined && vector !== undefined) {
    throw new ApiError("invalid_request", "The source is img or vector, not both.", { field: "vector" });
  }
  const field = vector === undefined ? "img" : "vector";
  return { ref: inputRef(field), value: vector ?? img };
}

function selectFace({ faces, ref }: Subject, index: number): SubjectFace {
  // A vector stands for one face, whatever index the call has.
  const face = faces[0].area === null ? faces[0] : faces[index];
  if (face !== undefined) return face;
  const detail = `face_index must be less than ${faces.length}, the number of faces in ${ref.label}.`;
  throw new ApiError("invalid_request", detail, { field: "face_index" });
}
