import { qualityIssues } from "@faceline/contracts/http/quality";
import { isReferences } from "@faceline/contracts/http/references";
import type { VerifyResponse, VerifyRequest } from "@faceline/contracts/http/verify";
import { inputRef, orThrow } from "../call/api-error.ts";
import { type RequestContext, secondsSince } from "../call/context.ts";
import { dispatchImages, subjectsFrom } from "../dispatch/subjects.ts";
import type { InputValue } from "../images/inputs.ts";
import { commonBuild } from "../matching/common-build.ts";
import { decidingPair, facesNeeded } from "../matching/pair.ts";
import { averaged } from "../matching/references.ts";
import { goodFaces, qualityRule } from "../matching/quality-rule.ts";
import { faceFound, type Subject, type SubjectFace } from "../matching/subject.ts";
import { matchRule } from "../models/match-rule.ts";
import type { RouteContext } from "./endpoint.ts";
import { requireSameVersion, selectByVersion } from "./model-versions.ts";

/** POST /verify: do two images show the same person? */
export async function verify(
  { ports, models, inputs: reader }: RouteContext,
  call: RequestContext,
  body: VerifyRequest,
): Promise<VerifyResponse> {
  const { model_version: modelVersion, model_name = modelVersion } = body;
  const selected = selectByVersion(models, ports.poolStates(), body);
  const list = (isReferences(body.img1) ? body.img1 : [body.img1]) as InputValue["value"][];
  const { metric, threshold, falseMatchRate, responseFields } = matchRule(body, selected, list.length);

  const rule = qualityRule(body);
  const img1 = inputRef("img1");
  const values: InputValue[] = [
    ...list.map((value, i) => ({ ref: list.length === 1 ? img1 : { ...img1, label: `img1[${i}]` }, value })),
    { ref: inputRef("img2"), value: body.img2 },
  ];
  const isModelNamed = model_name !== undefined;
  const comparison = { model: selected.model, metric, isModelNamed, modelVersion };
  const inputs = reader.readInputs(values, comparison).map(orThrow);
  const options = {
    align: body.align,
    enforceDetection: body.enforce_detection,
    facesMax: facesNeeded(body.face_policy),
    // `single_only` asks whether there is a second face, which may be too small for a reduced resolution.
    fullResolution: body.all_faces || body.face_policy === "single_only",
  };
  const answers = await dispatchImages(ports, call, { lane: selected.lane, options }, inputs);
  const found = subjectsFrom(inputs, answers, selected.detector).map(orThrow);
  // `single_only` counts all faces of an image, also those of low quality.
  const subjects = found.map((subject) =>
    body.face_policy === "single_only" && subject.faces.length > 1
      ? subject
      : orThrow(goodFaces(subject, rule)),
  );
  requireSameVersion(modelVersion, commonBuild(subjects));
  const references = subjects.slice(0, -1);
  const first = orThrow(averaged(references, selected.model));
  const second = subjects.at(-1)!;
  const isAverage = references.length > 1;
  const pair = decidingPair(body.face_policy, metric, first, second);
  // Two backgrounds are often close, and say nothing about a person.
  const facesFound = subjects.every((subject) => faceFound(subject) !== false);

  return {
    verified: facesFound && pair.distance <= threshold,
    distance: pair.distance,
    false_match_rate: facesFound ? falseMatchRate(pair.distance, references.length) : null,
    ...responseFields,
    model_name: selected.model.name,
    model: selected.model.name,
    detector_backend: selected.detector.name,
    distance_metric: metric,
    similarity_metric: metric,
    facial_areas: { img1: isAverage ? null : pair.first.area, img2: pair.second.area },
    faces_compared: { img1: isAverage ? null : facesCompared(first), img2: facesCompared(second) },
    quality: { img1: pair.first.quality, img2: pair.second.quality },
    quality_issues: { img1: issuesOf(pair.first), img2: issuesOf(pair.second) },
    references: isAverage ? references.map(({ faces: [face] }) => referenceFace(face)) : [],
    time: secondsSince(call, ports.clock.now()),
    request_id: call.requestId,
  };
}

const issuesOf = ({ quality }: SubjectFace) => quality && qualityIssues(quality);

const referenceFace = (face: SubjectFace) => ({
  facial_area: face.area,
  quality: face.quality,
  quality_issues: issuesOf(face),
});

/** A vector stands for one face, but no image was looked at. */
function facesCompared(subject: Subject): number | null {
  const found = faceFound(subject);
  return found === null ? null : found ? subject.faces.length : 0;
}
