import * as z from "zod";
import { oneOf } from "./request-body.ts";

/** Bounds where an issue begins; decision 153 has the measurements. Angles hold in both directions. */
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
    .describe("Pixels between the eyes, in the image as it was sent. `min_face_px` is compared with it."),
  sharpness: share.describe(
    "Share of the fine structure that a blur would take away: about 0.5 in a sharp photograph, 0 in a plain area.",
  ),
  yaw: degrees.describe(
    "Estimated angle in degrees, too small for strong turns; above 0 the face looks to the right of the image.",
  ),
  pitch: degrees.describe("Estimated angle in degrees, as `yaw`; above 0 the face looks up."),
  roll: degrees.describe("Angle in degrees; above 0 the head leans clockwise."),
  brightness: share.describe("Mean luminance of the face: 0 is black, 1 is white."),
  outside_share: share.describe("Share of the face that the edge of the image cuts off."),
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

const unmeasured =
  "Null where nothing was measured: `align` is false, the whole image was taken as the face, or a worker of " +
  "the release before computed it.";

export const qualityField = FaceQuality.nullable().describe(`Measurements of the face. ${unmeasured}`);

export const qualityIssuesField = z
  .array(QualityIssue)
  .nullable()
  .describe(
    `Why the face may not be recognised; empty if nothing speaks against it. \`too_small\`: under ` +
      `${bounds.eyeDistancePx} pixels between the eyes. \`blurred\`: sharpness under ${bounds.sharpness}. ` +
      `\`turned_away\`: yaw beyond ${bounds.yaw}° or pitch beyond ${bounds.pitch}°. \`too_dark\`, ` +
      `\`too_bright\`: brightness under ${bounds.dark} or above ${bounds.bright}. \`cut_off\`: more than ` +
      `${bounds.outsideShare} outside. Nothing is refused for them unless the call has \`min_quality\`. ${unmeasured}`,
  );

export const MinQuality = oneOf(["none", "no_issues"]);

/** Fields by which a call refuses faces. */
export const qualityRequestFields = {
  min_face_px: z
    .int("must be a whole number of 1 or more")
    .min(1, "must be a whole number of 1 or more")
    .optional()
    .describe(
      "Faces with fewer pixels between the eyes (`eye_distance_px`) are left out; if none is left, the call " +
        "is refused (`low_quality`). Left out: faces of every size count.",
    ),
  min_quality: MinQuality.default("none").describe(
    "`no_issues`: faces with any of `quality_issues` are left out; if none is left, the call is refused " +
      "(`low_quality`). `none`: they count.",
  ),
};
