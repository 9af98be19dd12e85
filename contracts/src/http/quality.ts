import * as z from "zod";
import { oneOf } from "./request-body.ts";

/** Bounds at which an issue begins; decision 153 has the measurements. Angles hold in both directions. */
const bounds = {
  eyeDistancePx: 16,
  sharpness: 0.34,
  yaw: 25,
  pitch: 20,
  dark: 0.1,
  bright: 0.9,
  outsideShare: 0.1,
};

const share = z.number().min(0).max(1);
const degrees = z.number();

/** Measurements of a face whose landmarks are known. */
export const FaceQuality = z.object({
  eye_distance_px: z
    .number()
    .nonnegative()
    .describe("Number of pixels between the eyes in the image as you sent it. `min_face_px` sets a minimum."),
  sharpness: share.describe(
    "Share of fine detail that a blur would remove: about 0.5 in a sharp photograph, 0 in a plain area.",
  ),
  yaw: degrees.describe(
    "Estimated angle in degrees, positive towards the right of the image. Strong turns are underestimated.",
  ),
  pitch: degrees.describe("Estimated angle in degrees, positive upwards. Strong turns are underestimated."),
  roll: degrees.describe("Angle in degrees, positive clockwise."),
  brightness: share.describe("Mean luminance of the face, from 0 (black) to 1 (white)."),
  outside_share: share.describe("Share of the face that lies outside the image."),
});
export type FaceQuality = z.infer<typeof FaceQuality>;

/** Reasons why a face may not be recognised. The list is closed. */
export const QualityIssue = oneOf([
  "too_small",
  "blurred",
  "turned_away",
  "too_dark",
  "too_bright",
  "cut_off",
]);
export type QualityIssue = z.infer<typeof QualityIssue>;

/** Whether a face has an issue, and the measurement as a clause with the bound. */
const issues: Record<QualityIssue, { isIn(face: FaceQuality): boolean; clause(face: FaceQuality): string }> =
  {
    too_small: {
      isIn: (face) => face.eye_distance_px < bounds.eyeDistancePx,
      clause: (face) =>
        `${face.eye_distance_px} pixels between the eyes, at least ${bounds.eyeDistancePx} are needed`,
    },
    blurred: {
      isIn: (face) => face.sharpness < bounds.sharpness,
      clause: (face) => `sharpness ${face.sharpness}, at least ${bounds.sharpness} is needed`,
    },
    turned_away: {
      isIn: (face) => Math.abs(face.yaw) > bounds.yaw || Math.abs(face.pitch) > bounds.pitch,
      clause: (face) =>
        `yaw ${face.yaw}° and pitch ${face.pitch}°, at most ${bounds.yaw}° and ${bounds.pitch}° either way are allowed`,
    },
    too_dark: {
      isIn: (face) => face.brightness < bounds.dark,
      clause: (face) => `brightness ${face.brightness}, at least ${bounds.dark} is needed`,
    },
    too_bright: {
      isIn: (face) => face.brightness > bounds.bright,
      clause: (face) => `brightness ${face.brightness}, at most ${bounds.bright} is allowed`,
    },
    cut_off: {
      isIn: (face) => face.outside_share > bounds.outsideShare,
      clause: (face) =>
        `share outside the image ${face.outside_share}, at most ${bounds.outsideShare} is allowed`,
    },
  };

/** Returns the issues of a face, in the order of the list. */
export function qualityIssues(face: FaceQuality): QualityIssue[] {
  return QualityIssue.options.filter((issue) => issues[issue].isIn(face));
}

/** Returns an issue with what was measured, as `blurred (sharpness 0.2, at least 0.34 is needed)`. */
export function issueInWords(issue: QualityIssue, face: FaceQuality): string {
  return `${issue} (${issues[issue].clause(face)})`;
}

const unmeasured = "Null if it was not measured: with `align: false`, or if the whole image was used.";

export const qualityField = FaceQuality.nullable().describe(`Image quality of the face. ${unmeasured}`);

export const qualityIssuesField = z
  .array(QualityIssue)
  .nullable()
  .describe(
    "Quality issues that make recognition less reliable; empty if there are none. `too_small`: fewer than " +
      `${bounds.eyeDistancePx} pixels between the eyes. \`blurred\`: sharpness below ${bounds.sharpness}. ` +
      `\`turned_away\`: yaw beyond ${bounds.yaw}° or pitch beyond ${bounds.pitch}°. \`too_dark\`, ` +
      `\`too_bright\`: brightness below ${bounds.dark} or above ${bounds.bright}. \`cut_off\`: more than ` +
      `${bounds.outsideShare} outside the image. No face is rejected for them unless \`min_quality\` is set. ${unmeasured}`,
  );

export const MinQuality = oneOf(["none", "no_issues"]);

/** Fields by which a request rejects faces. */
export const qualityRequestFields = {
  min_face_px: z
    .int("must be a whole number of 1 or more")
    .min(1, "must be a whole number of 1 or more")
    .optional()
    .describe(
      "Ignore faces with fewer pixels between the eyes (`eye_distance_px`). If none is left, the request is rejected (`low_quality`). Defaults to no minimum.",
    ),
  min_quality: MinQuality.default("none").describe(
    "`no_issues`: ignore faces with any of `quality_issues`. If none is left, the request is rejected (`low_quality`). `none`: use all faces.",
  ),
};
