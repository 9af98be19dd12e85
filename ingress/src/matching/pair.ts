import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import type { FacePolicy } from "@faceline/contracts/http/verify";
import { facesMax } from "@faceline/contracts/wire/task";
import { inputError } from "../call/api-error.ts";
import { distance, preparedDistance, preparedVector } from "./distance.ts";
import type { Subject, SubjectFace } from "./subject.ts";

/**
 * Returns the pair of faces that decides a verification. Of pairs with equal distance the larger faces count.
 * Throws `multiple_faces` if the policy is `single_only` and a subject has several.
 */
export function decidingPair(
  policy: FacePolicy,
  metric: DistanceMetric,
  first: Subject,
  second: Subject,
): FacePair {
  switch (policy) {
    case "best_pair":
      return nearestPair(metric, first.faces, second.faces);
    case "largest":
      return facePair(metric, first.faces[0], second.faces[0]);
    case "single_only":
      return facePair(metric, onlyFace(first), onlyFace(second));
  }
}

/** Returns how many faces of each image a policy needs, largest first. */
export function facesNeeded(policy: FacePolicy): number {
  switch (policy) {
    case "best_pair":
      return facesMax;
    case "largest":
      return 1;
    // A second face is the reason to refuse.
    case "single_only":
      return 2;
  }
}

function nearestPair(metric: DistanceMetric, firsts: SubjectFace[], seconds: SubjectFace[]): FacePair {
  const prepared = seconds.map((face) => ({ face, vector: preparedVector(metric, face.vector) }));
  const pairs = firsts.flatMap((first) => {
    const from = preparedVector(metric, first.vector);
    return prepared.map(
      ({ face, vector }): FacePair => ({
        distance: preparedDistance(metric, from, vector),
        first,
        second: face,
      }),
    );
  });
  return pairs.reduce((nearest, pair) => (pair.distance < nearest.distance ? pair : nearest));
}

const facePair = (metric: DistanceMetric, first: SubjectFace, second: SubjectFace): FacePair => ({
  distance: distance(metric, first.vector, second.vector),
  first,
  second,
});

function onlyFace({ ref, faces }: Subject): SubjectFace {
  if (faces.length === 1) return faces[0];
  throw inputError(ref, "multiple_faces", `${ref.label} has several faces: crop it to one.`);
}

type FacePair = { distance: number; first: SubjectFace; second: SubjectFace };
