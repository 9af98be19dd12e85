import type { QualityIssue } from "@faceline/contracts/http/quality";

/** Returns the issues of a face as short sentences; "" for none, or where nothing was measured. */
export const qualityWords = (issues: readonly QualityIssue[] | null | undefined): string =>
  (issues ?? []).map((issue) => sentences[issue]).join(" ");

const sentences: Record<QualityIssue, string> = {
  too_small: "The face has few pixels: use a larger picture.",
  blurred: "The face is blurred: hold still, or focus.",
  turned_away: "The face is turned away: look into the camera.",
  too_dark: "The face is dark: light it from the front.",
  too_bright: "The face is too bright: use softer light.",
  cut_off: "The edge cuts off the face: leave room around the head.",
};
