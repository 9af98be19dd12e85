import type { qualityRequestFields } from "@faceline/contracts/http/quality";
import { issueInWords, qualityIssues } from "@faceline/contracts/http/quality";
import type * as z from "zod";
import { ApiError, inputError } from "../call/api-error.ts";
import type { Subject, SubjectFace } from "./subject.ts";

/**
 * Returns what a request demands of faces. Throws `invalid_request` if that cannot be measured: without
 * landmarks, every face would be refused.
 */
export function qualityRule({ align, min_face_px, min_quality }: QualityFields): QualityRule {
  const rule = { eyeDistancePxMin: min_face_px ?? 0, refusesIssues: min_quality === "no_issues" };
  if (!align && (rule.eyeDistancePxMin > 0 || rule.refusesIssues)) {
    const field = rule.refusesIssues ? "min_quality" : "min_face_px";
    throw new ApiError("invalid_request", `${field} needs the landmarks of faces: leave out align.`, {
      field,
    });
  }
  return rule;
}

/**
 * Returns the subject with the faces that meet the rule, or the error `low_quality` if none does. A face of
 * an image that was not measured does not meet it, and a vector always does: there is nothing to measure.
 */
export function goodFaces(subject: Subject, rule: QualityRule): Subject | ApiError {
  const { ref, faces } = subject;
  if (faces[0].area === null) return subject;
  const [largest, ...others] = faces.filter((face) => faultsOf(face, rule).length === 0);
  if (largest !== undefined) return { ...subject, faces: [largest, ...others] };
  const which =
    faces.length === 1
      ? `The face in ${ref.label}`
      : `None of the ${faces.length} faces in ${ref.label} has the quality that the request asks for; the largest`;
  return inputError(ref, "low_quality", `${which} is ${faultsOf(faces[0], rule).join(", ")}.`);
}

/** What a face lacks, as a predicate with the measured value. */
function faultsOf({ quality, area }: SubjectFace, rule: QualityRule): string[] {
  if (rule.eyeDistancePxMin === 0 && !rule.refusesIssues) return [];
  if (quality === null) {
    return [area?.face_found === false ? "the whole image, as none was found" : "of unmeasured quality"];
  }
  const { eye_distance_px } = quality;
  const isSmall = eye_distance_px < rule.eyeDistancePxMin;
  return [
    ...(isSmall ? [`smaller than min_face_px asks for (${eye_distance_px} pixels between the eyes)`] : []),
    ...(rule.refusesIssues ? qualityIssues(quality).map((issue) => issueInWords(issue, quality)) : []),
  ];
}

type QualityRule = { eyeDistancePxMin: number; refusesIssues: boolean };

type QualityFields = { align: boolean } & z.infer<z.ZodObject<typeof qualityRequestFields>>;
