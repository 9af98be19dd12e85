import type { ErrorRates } from "@faceline/contracts/http/model-card";
import type { FalseMatchCurves } from "@faceline/models/false-match-curve";

/** Messages of the accuracy program. They have no behaviour, and so no test. */

/** Its first message. */
export type AccuracyPlan = {
  lanes: {
    name: string;
    model: string;
    detector: string;
    modelVersion: string;
    precision: "float32" | "int8";
  }[];
  /** The lane of the defaults, as the service runs it on this machine. */
  usual: string;
  /** The same in float. It runs on the first set alone. */
  reference: string;
  /** Clauses that say why a model runs in float. */
  fallbacks: readonly string[];
  /** Models whose weights are not here. */
  unpulled: readonly string[];
  /** "As it is" first, then each degradation and how it is made. */
  conditions: { name: string; how: string }[];
  sets: { name: string; source: string; images: number; people: number }[];
};

/** One lane on one set in one condition. */
export type AccuracyRow = {
  lane: string;
  set: string;
  condition: string;
  images: number;
  notEnrolled: number;
  /** Median of a decoded image, in one thread. */
  cpuMs: number;
  rates: ErrorRates | null;
  /** Against the mean embedding of several held-out images as they are; of recognisers alone. */
  references: readonly { count: number; rates: ErrorRates | null }[];
  /** Curves of the pairs of two people among the held-out images as they are. */
  falseMatchCurves?: FalseMatchCurves;
};
