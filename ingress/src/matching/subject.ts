import type { FacialArea } from "@faceline/contracts/http/facial-area";
import type { FaceQuality } from "@faceline/contracts/http/quality";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { InputRef } from "../call/api-error.ts";
import type { NumericVector } from "./distance.ts";

/** One input of a request: the faces of an image, or the one face that a vector stands for. */
export type Subject = {
  ref: InputRef;
  /** Largest first; at least one. */
  faces: [SubjectFace, ...SubjectFace[]];
  /** Build that embedded the faces; null for a vector. */
  build: LaneBuild | null;
};

/**
 * Whether a face was found in the image; null for a vector. If the whole image was used as the face, that is
 * the only face of its subject.
 */
export const faceFound = ({ faces }: Pick<Subject, "faces">): boolean | null =>
  faces[0].area?.face_found ?? null;

export type SubjectFace = {
  vector: NumericVector;
  /** Null for a vector. */
  area: FacialArea | null;
  confidence: number;
  /** Null if it was not measured, as for a vector. */
  quality: FaceQuality | null;
};
