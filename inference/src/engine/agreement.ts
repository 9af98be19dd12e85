import type { Role } from "@faceline/models/catalogue";
import { overlap } from "../detect/selection.ts";

/**
 * Whether int8 says of the drawn face what float says. Undefined: near enough; else what is different, as a sentence's
 * end. The bounds are some five times what is seen where the arithmetic is right.
 */
export function strayOf(role: Role, float: Outputs, int8: Outputs): string | undefined {
  return judges[role](float, int8);
}

const judges: Record<Role, (float: Outputs, int8: Outputs) => string | undefined> = {
  detector(float, int8) {
    // What int8 takes for a face and float does not is as wrong as the reverse.
    for (const anchor of [surestOf(float), surestOf(int8)]) {
      const [a, b] = [float, int8].map((outputs) => seenAt(outputs, anchor)) as [Seen, Seen];
      const apart = Math.abs(a.logit - b.logit);
      if (!(apart <= LOGIT_MAX)) return `a score is ${apart.toFixed(1)} off, as a logit`;
      const shared = overlap(a.box, b.box);
      if (!(shared >= OVERLAP_MIN)) return `a box overlaps by ${shared.toFixed(2)} only`;
    }
    return undefined;
  },
  landmarks(float, int8) {
    const [a, b] = [float.get("points")!, int8.get("points")!];
    const apart = a.reduce((most, number, i) => Math.max(most, Math.abs(number - b[i]!)), 0);
    return apart <= POINT_MAX ? undefined : `a landmark is ${apart.toFixed(2)} of the face's width off`;
  },
  embedding(float, int8) {
    const [a, b] = [float.get("embedding")!, int8.get("embedding")!];
    const apart = Math.hypot(...a.map((number, i) => number - b[i]!)) / Math.hypot(...a);
    return apart <= EMBEDDING_MAX ? undefined : `its embedding is ${apart.toFixed(2)} of its length off`;
  },
};

const LOGIT_MAX = 0.4;
const OVERLAP_MIN = 0.85;
const POINT_MAX = 0.05;
const EMBEDDING_MAX = 0.06;

/** The first, where several are. */
function surestOf(outputs: Outputs): number {
  return outputs.get("scores")!.reduce((at, score, i, all) => (score > all[at]! ? i : at), 0);
}

function seenAt(outputs: Outputs, anchor: number): Seen {
  const score = outputs.get("scores")![anchor]!;
  // In float32 a sure score is 1, of which there is no logit: two of them would be nothing apart, and not agree.
  const inside = Math.min(1 - SCORE_LEAST, Math.max(SCORE_LEAST, score));
  return { logit: Math.log(inside / (1 - inside)), box: boxAt(outputs.get("boxes")!, anchor) };
}

const SCORE_LEAST = 1e-6;

function boxAt(boxes: Float32Array, anchor: number): Seen["box"] {
  const [top = 0, left = 0, bottom = 0, right = 0] = boxes.subarray(4 * anchor, 4 * anchor + 4);
  return { left, top, right, bottom };
}

type Seen = { logit: number; box: { left: number; top: number; right: number; bottom: number } };

/** By the name of the output. */
export type Outputs = ReadonlyMap<string, Float32Array>;
