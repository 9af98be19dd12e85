import type { Wheel } from "../src/download/wheel.ts";
import type { CudaPins } from "../src/gpu/cuda-pins.ts";
import { sha256 } from "../src/model-file.ts";
import { zipOf } from "./zip.ts";

/** A wheel with one library, its licence and a file that nobody needs, and its pin. */
export function madeUpWheel(name: string): { bytes: Buffer; pin: Wheel } {
  const library = Buffer.from(`the library of ${name}`);
  const licence = Buffer.from(`the licence of ${name}`);
  const package_ = name.replaceAll("-", "_");
  const info = `${package_}-1.0.0.dist-info`;
  const bytes = zipOf({
    [`${package_}/lib/lib${package_}.so.1`]: library,
    [`${package_}/unneeded.py`]: Buffer.from("nobody needs this"),
    [`${info}/licenses/License.txt`]: licence,
    [`${info}/METADATA`]: Buffer.from(`Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0.0\n`),
    [`${info}/WHEEL`]: Buffer.from(
      "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-manylinux_2_17_x86_64\n",
    ),
    [`${info}/RECORD`]: Buffer.from(""),
  });
  const kept = (path: string, as: string, content: Buffer) => ({
    path,
    name: as,
    bytes: content.length,
    sha256: sha256(content),
  });
  return {
    bytes,
    pin: {
      name,
      version: "1.0.0",
      file: `${package_}-1.0.0-py3-none-manylinux_2_17_x86_64.whl`,
      bytes: bytes.length,
      sha256: sha256(bytes),
      files: [
        kept(`${package_}/lib/lib${package_}.so.1`, `lib${package_}.so.1`, library),
        kept(`${info}/licenses/License.txt`, `LICENSE.${name}`, licence),
      ],
    },
  };
}

/** Pins of such wheels. */
export const madeUpPins = (wheels: readonly Wheel[]): CudaPins => ({
  onnxruntime: "1.0.0",
  driver_min: 580,
  terms: { name: "cuda", licenses: [], provenance: [] },
  wheels: [...wheels],
});
