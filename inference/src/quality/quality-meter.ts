import type { FaceQuality } from "@faceline/contracts/http/quality";
import type { Alignment } from "../align/aligner.ts";
import type { AlignmentTemplate } from "../align/templates.ts";
import { type Affine, composed } from "../geometry/affine.ts";
import { wholeBox } from "../geometry/box.ts";
import type { Pixels } from "../geometry/pixels.ts";
import type { Warp } from "../geometry/warp.ts";
import { ovalPixels, ovalSquarePx, ovalSquareToChip, pixelsInside } from "./face-oval.ts";
import { PoseEstimate } from "./pose.ts";
import { sharpnessOf, smoothedLuminance } from "./sharpness.ts";

/**
 * Measures the quality of aligned faces, without a network. Each is drawn once more, in a square of its own,
 * so that the numbers do not depend on the chip of an embedding network.
 */
export class QualityMeter {
  readonly #warp: Warp;
  readonly #squareToChip: Affine;
  readonly #pose: PoseEstimate;
  readonly #rgb = new Uint8Array(3 * ovalSquarePx ** 2);
  readonly #luminance = new Float32Array(ovalSquarePx ** 2);
  readonly #rows = new Float32Array(ovalSquarePx ** 2);

  constructor(warp: Warp, template: AlignmentTemplate) {
    this.#warp = warp;
    this.#squareToChip = ovalSquareToChip(template);
    this.#pose = new PoseEstimate(template);
  }

  measure(image: ScaledPixels, { chipToImage, eyes, landmarks }: MeasuredFace): FaceQuality {
    const squareToImage = composed(this.#squareToChip, chipToImage);
    this.#warp.draw(image, squareToImage, wholeBox(image), this.#rgb, ovalSquarePx);
    const square = { luminance: this.#luminance, px: ovalSquarePx };
    smoothedLuminance(this.#rgb, square, this.#rows);
    const { inside, within } = pixelsInside(squareToImage, image);
    let luminanceSum = 0;
    for (const i of inside) luminanceSum += this.#luminance[i]!;
    const sharpness = sharpnessOf(square, within);
    // Nothing of a face stays in memory after its batch.
    for (const numbers of [this.#rgb, this.#luminance, this.#rows]) numbers.fill(0);

    const pose = this.#pose.of(landmarks);
    const scale = image.originalWidth / image.width;
    const eyeDistancePx = Math.hypot(eyes.left.x - eyes.right.x, eyes.left.y - eyes.right.y);
    return {
      eye_distance_px: rounded(scale * eyeDistancePx, 1),
      sharpness: rounded(sharpness, 3),
      yaw: rounded(pose.yaw, 0),
      pitch: rounded(pose.pitch, 0),
      roll: rounded(pose.roll, 0),
      brightness: rounded(luminanceSum / (255 * inside.length || 1), 3),
      outside_share: rounded(1 - inside.length / ovalPixels.length, 3),
    };
  }
}

/** Never -0. */
const rounded = (value: number, digits: number): number =>
  Math.round(value * 10 ** digits) / 10 ** digits + 0;

type ScaledPixels = Pixels & { originalWidth: number };

type MeasuredFace = Pick<Alignment, "chipToImage" | "eyes" | "landmarks">;
