import assert from "node:assert/strict";
import * as z from "zod";

/**
 * The tensors of one tfjs weights file, by name. `get` marks a tensor as used, so that `unused` shows which
 * layers a converter has forgotten.
 */
export class Weights {
  readonly #tensors: ReadonlyMap<string, WeightTensor>;
  readonly #unused: Set<string>;

  constructor(tensors: ReadonlyMap<string, WeightTensor>) {
    this.#tensors = tensors;
    this.#unused = new Set(tensors.keys());
  }

  get(name: string): WeightTensor {
    const tensor = this.#tensors.get(name);
    assert(tensor !== undefined, `the weights have no tensor named ${name}`);
    this.#unused.delete(name);
    return tensor;
  }

  unused(): string[] {
    return [...this.#unused];
  }
}

/**
 * Reads a manifest and the bytes that belong to it (all its `paths`, one after the other). Tensors lie
 * back to back in the manifest's order; bytes that are missing or left over mean that the two files
 * are not of one pair, and every tensor after the first mistake would be noise.
 */
export function readWeights(manifestJson: unknown, bytes: Uint8Array): Weights {
  const specs = Manifest.parse(manifestJson).flatMap((group) => group.weights);
  const tensors = new Map<string, WeightTensor>();
  let offset = 0;
  for (const spec of specs) {
    const size = spec.shape.reduce((product, side) => product * side, 1);
    const end = offset + size * elementBytes[spec.quantization?.dtype ?? "raw"];
    assert(end <= bytes.length, `the weights end inside ${spec.name}`);
    // A copy: float32 can be read in place only where its offset is a multiple of 4. (Buffer's slice copies
    // nothing.)
    const own = new Uint8Array(bytes.subarray(offset, end));
    tensors.set(spec.name, { shape: spec.shape, data: decode(spec, own) });
    offset = end;
  }
  assert.equal(
    offset,
    bytes.length,
    `the manifest describes ${offset} bytes, the weights have ${bytes.length}`,
  );
  return new Weights(tensors);
}

/**
 * Numbers in row-major order. Convolutions are [height, width, in, out], depthwise ones [height, width,
 * channels, 1].
 */
export type WeightTensor = { shape: readonly number[]; data: Float32Array };

/** Bytes of one element as it is stored, by its quantisation. */
const elementBytes = { uint8: 1, float16: 2, raw: 4 };

/**
 * A quantised element is one byte, and value = byte * scale + min: in double precision, rounded to float32
 * once, as tfjs does it. Or it is a number of 16 bits, which float32 holds exactly. Without `quantization`
 * the numbers lie there raw, little-endian: all of dlib's conv64 filters and the anchors of the SSD do.
 */
function decode({ dtype, quantization }: Spec, bytes: Uint8Array<ArrayBuffer>): Float32Array {
  if (quantization === undefined) {
    return dtype === "int32"
      ? Float32Array.from(new Int32Array(bytes.buffer))
      : new Float32Array(bytes.buffer);
  }
  if (quantization.dtype === "float16") return new Float32Array(new Float16Array(bytes.buffer));
  const { scale, min } = quantization;
  const whole = dtype === "int32";
  return new Float32Array(bytes).map((byte) => (whole ? Math.round(byte * scale + min) : byte * scale + min));
}

const Spec = z.object({
  name: z.string(),
  shape: z.array(z.int().nonnegative()),
  dtype: z.enum(["float32", "int32"]),
  quantization: z
    .discriminatedUnion("dtype", [
      z.object({ dtype: z.literal("uint8"), scale: z.number(), min: z.number() }),
      z.object({ dtype: z.literal("float16") }),
    ])
    .optional(),
});
type Spec = z.infer<typeof Spec>;
const Groups = z.array(z.object({ paths: z.array(z.string()), weights: z.array(Spec) }));
/** A manifest, or a graph model that has one. */
const Manifest = z.union([
  Groups,
  z.object({ weightsManifest: Groups }).transform(({ weightsManifest }) => weightsManifest),
]);
