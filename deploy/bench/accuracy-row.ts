import type { Row } from "./accuracy.ts";

/** For tests: 25 pictures and 300 pairs in one case and configuration. */
export function rowOf(
  name: string,
  configuration: string,
  [detected, cosine, euclidean]: [faces: number, cosine: number, euclidean: number],
): Row {
  const margin = { of: 300, sameMax: 0.1, differentMin: 0.2, equalErrorRate: 0 };
  return {
    case: name,
    configuration,
    of: 25,
    detected,
    missed: [],
    cosine: { right: cosine, ...margin },
    euclidean: { right: euclidean, ...margin },
    offReference: null,
    medianMs: 1,
  };
}
