import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import { ApiError } from "../call/api-error.ts";
import type { Subject } from "./subject.ts";

/**
 * Returns the build that embedded the images among the subjects, or null if there is none. Throws
 * `upstream_failed` if there are several: a distance between embeddings of two builds means nothing. The
 * batcher sends all images of a request to one build; only a worker that counted as lost may answer from
 * another.
 */
export function commonBuild(subjects: readonly (Subject | ApiError)[]): LaneBuild | null {
  const builds = subjects.flatMap((subject) => (subject instanceof ApiError ? [] : (subject.build ?? [])));
  const [first = null] = builds;
  if (builds.every(({ digest }) => digest === first?.digest)) return first;
  throw new ApiError(
    "upstream_failed",
    "The images were processed by workers with different versions or precisions of the model.",
  );
}
