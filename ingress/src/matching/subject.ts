import type { FacialArea } from "@faceline/contracts/http/facial-area";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { InputRef } from "../call/api-error.ts";
import type { NumericVector } from "./distance.ts";

// Types only.

/** What one input of a call shows: the faces of an image, or the one face that a vector stands for. */
export type Subject = {
  ref: InputRef;
  /** Largest first; at least one. */
  faces: [SubjectFace, ...SubjectFace[]];
  /** What embedded the faces; null for a vector. */
  build: LaneBuild | null;
};

export type SubjectFace = {
  vector: NumericVector;
  /** Null for a vector. */
  area: FacialArea | null;
  confidence: number;
};
