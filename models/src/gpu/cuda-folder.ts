import { delimiter, join, resolve } from "node:path";
import { type CudaPins, readCudaPins } from "./cuda-pins.ts";

/** The folder of the CUDA libraries for a release of onnxruntime. It exists only if it is complete. */
export const cudaFolder = (modelsDir: string, { onnxruntime }: Pick<CudaPins, "onnxruntime">): string =>
  join(modelsDir, "gpu", onnxruntime);

/**
 * Environment that a process needs when it starts, so that it finds the CUDA libraries: the dynamic
 * linker reads LD_LIBRARY_PATH once. It takes libonnxruntime.so.1 from there too, and onnxruntime looks for
 * its execution providers beside that file alone. Empty without EXECUTION_PROVIDER=cuda.
 */
export function cudaEnvironment(
  modelsDir: string,
  { EXECUTION_PROVIDER, LD_LIBRARY_PATH }: NodeJS.ProcessEnv,
): { LD_LIBRARY_PATH?: string } {
  if (EXECUTION_PROVIDER !== "cuda") return {};
  const folders = [cudaFolder(resolve(modelsDir), readCudaPins()), LD_LIBRARY_PATH];
  return { LD_LIBRARY_PATH: folders.filter(Boolean).join(delimiter) };
}
