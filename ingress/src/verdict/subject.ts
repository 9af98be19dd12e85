import type { FacialArea } from "@faceline/contracts/http/facial-area";
import type { Place } from "../refusal.ts";
import type { Numbers } from "./distance.ts";

/** What one input of a call shows: the faces of an image, or the one that a vector stands for. */
export type Subject = {
  place: Place;
  /** Largest first; at least one. */
  faces: [SeenFace, ...SeenFace[]];
};

export type SeenFace = {
  vector: Numbers;
  /** Null for a vector. */
  area: FacialArea | null;
  confidence: number;
};
