import type { AccuracyPlan, AccuracyRow } from "@faceline/accuracy/messages";

/** A plan of two recognisers, two detectors, one set and one degradation. */
export const plan: AccuracyPlan = {
  lanes: [lane("M", "d"), lane("N", "d"), lane("M", "e"), { ...lane("M", "d"), name: "float" }],
  usual: "M/d",
  reference: "float",
  fallbacks: [],
  unpulled: [],
  conditions: [
    { name: "as it is", how: "" },
    { name: "mask", how: "mask drawn" },
  ],
  sets: [{ name: "labelled", source: "made up", images: 25, people: 9 }],
};

/** A row without an error, but for what is given. */
export function accuracyRow(
  lane: string,
  condition: string,
  { notEnrolled = 0, fnmr = 0, fmr = 0 }: { notEnrolled?: number; fnmr?: number; fmr?: number },
): AccuracyRow {
  const rate = (value: number) => ({ value, low: 0, high: 0.3 });
  const rates = {
    pairs_same: 20,
    pairs_different: 80,
    fnmr_at_fmr_1_percent: rate(0),
    fnmr_at_fmr_0_1_percent: rate(0),
    fnmr: rate(fnmr),
    fmr: rate(fmr),
  };
  return { lane, set: "labelled", condition, images: 25, notEnrolled, cpuMs: 20, rates, references: [] };
}

function lane(model: string, detector: string): AccuracyPlan["lanes"][number] {
  return { name: `${model}/${detector}`, model, detector, modelVersion: "0123456789ab", precision: "int8" };
}
