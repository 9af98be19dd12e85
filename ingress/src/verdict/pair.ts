import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import type { FacePolicy } from "@faceline/contracts/http/verify";
import { refusalAt } from "../refusal.ts";
import { distance } from "./distance.ts";
import type { SeenFace, Subject } from "./subject.ts";

/** The pair of faces that a verification is about. Of equal pairs the larger faces count. */
export function decidingPair(policy: FacePolicy, metric: DistanceMetric, one: Subject, two: Subject): Pair {
  switch (policy) {
    case "best_pair":
      return nearestPair(metric, one.faces, two.faces);
    case "largest":
      return pairOf(metric, one.faces[0], two.faces[0]);
    case "single_only":
      return pairOf(metric, onlyFace(one), onlyFace(two));
  }
}

/** How many faces of each image the policy needs to see. */
export function facesWanted(policy: FacePolicy, facesMax: number): number {
  switch (policy) {
    case "best_pair":
      return facesMax;
    case "largest":
      return 1;
    // The second is what it refuses.
    case "single_only":
      return 2;
  }
}

function nearestPair(metric: DistanceMetric, ones: SeenFace[], twos: SeenFace[]): Pair {
  const pairs = ones.flatMap((one) => twos.map((two) => pairOf(metric, one, two)));
  return pairs.reduce((nearest, pair) => (pair.distance < nearest.distance ? pair : nearest));
}

const pairOf = (metric: DistanceMetric, one: SeenFace, two: SeenFace): Pair => ({
  distance: distance(metric, one.vector, two.vector),
  one,
  two,
});

function onlyFace({ place, faces }: Subject): SeenFace {
  if (faces.length === 1) return faces[0];
  throw refusalAt(place, "multiple_faces", `More than one face was found in ${place.called}.`);
}

export type Pair = { distance: number; one: SeenFace; two: SeenFace };
