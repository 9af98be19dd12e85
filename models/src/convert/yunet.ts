import { adaptDetector } from "../contract/detector-adapter.ts";
import { withoutBlocks } from "../onnx/blocks.ts";

/**
 * OpenCV's YuNet: its own graph, with Faceline's input before it and the decoding of its boxes after it. Its
 * five landmarks are left out: on blurred faces Dlib's AUC is 0.964 by them and 0.999 by landmarks-68.
 */
export function writeYunet(file: Uint8Array, px: number): Uint8Array {
  const strides = [8, 16, 32];
  const ofStrides = (name: string) => strides.map((stride) => `${name}_${stride}`);
  return adaptDetector(withoutBlocks(file), {
    name: "yunet",
    input: { type: "float32", layout: "NCHW", px, colour_order: "BGR", mean: 0, scale: 1 },
    outputs: { boxes: ofStrides("bbox"), classes: ofStrides("cls"), objects: ofStrides("obj") },
    decoder: {
      strides,
      prior_px: strides.map((stride) => [stride]),
      prior_at: "corner",
      variances: [1, 1],
      activation: "none",
      classes: 1,
      face_class: 0,
    },
  });
}
