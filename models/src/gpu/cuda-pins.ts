import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { License } from "../catalogue-entry.ts";
import { Wheel } from "../download/wheel.ts";

/**
 * The wheels with the CUDA execution provider of onnxruntime and the libraries that it needs, by version and
 * SHA-256 as PyPI's index states them, and the files in them that are kept. cuda-pins.test.ts compares them
 * with the packages of this repository.
 */
export function readCudaPins(): CudaPins {
  return CudaPins.parse(JSON.parse(readFileSync(join(import.meta.dirname, "../../gpu/cuda.json"), "utf8")));
}

export const CudaPins = z.strictObject({
  /** The release of onnxruntime-node that these libraries belong to. */
  onnxruntime: z.string().min(1),
  /** The major version of the oldest driver for this CUDA. */
  driver_min: z.int(),
  terms: z.strictObject({
    name: z.string().min(1),
    licenses: z.array(License).min(1),
    provenance: z.array(z.string()),
  }),
  wheels: z.array(Wheel).min(1),
});
export type CudaPins = z.infer<typeof CudaPins>;
