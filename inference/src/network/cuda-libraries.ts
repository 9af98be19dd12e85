import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { cudaFolder } from "@faceline/models/gpu/cuda-folder";
import { type CudaPins, readCudaPins } from "@faceline/models/gpu/cuda-pins";

/**
 * Throws one sentence that names what CUDA lacks on this machine: the execution provider, a library or the
 * driver. onnxruntime itself writes the reason only to stderr, and JavaScript learns only that a library
 * could not be loaded. `onnxruntime` is the path of libonnxruntime.so.1, by default of the one that this
 * process has loaded. Where there is none, as on other systems than Linux, nothing is checked.
 */
export async function requireCudaLibraries(modelsDir: string, onnxruntime?: string): Promise<void> {
  const loaded = onnxruntime ?? loadedOnnxruntime(await readFile("/proc/self/maps", "utf8").catch(() => ""));
  const fault = loaded === undefined ? undefined : await cudaLibrariesFault(modelsDir, loaded);
  if (fault !== undefined) throw new Error(`the execution provider cuda cannot be used here: ${fault}`);
}

async function cudaLibrariesFault(modelsDir: string, onnxruntime: string): Promise<string | undefined> {
  const pins = readCudaPins();
  const provider = join(dirname(onnxruntime), "libonnxruntime_providers_cuda.so");
  if (!existsSync(provider)) {
    const folder = cudaFolder(modelsDir, pins);
    return existsSync(folder)
      ? `LD_LIBRARY_PATH did not name ${folder}, where the CUDA libraries are, when the process started; npm start sets it`
      : `there is no ${provider}; "npm run models -- gpu" fetches it and the CUDA libraries`;
  }
  const missing = await missingLibraries(provider, libraryPath(process.env));
  if (missing.length === 0) return undefined;
  const [fromDriver, others] = [true, false].map((wanted) =>
    missing.filter((name) => (name === driverLibrary) === wanted),
  ) as [string[], string[]];
  return [
    ...(fromDriver.length === 0 ? [] : [driverSentence(pins)]),
    ...(others.length === 0
      ? []
      : [
          `the dynamic linker does not find ${others.join(", ")}; "npm run models -- gpu --verify" checks its own`,
        ]),
  ].join("; ");
}

const driverLibrary = "libcuda.so.1";

const driverSentence = ({ driver_min }: CudaPins): string =>
  `there is no ${driverLibrary}, which comes with the NVIDIA driver (${driver_min} or newer) or is mounted into a container`;

/**
 * The libraries that a provider needs and the dynamic linker does not find. Asks the linker itself, which
 * runs nothing of them. Empty if the machine has no linker in the usual place.
 */
export async function missingLibraries(
  provider: string,
  path: { LD_LIBRARY_PATH?: string },
): Promise<string[]> {
  const linker = "/lib64/ld-linux-x86-64.so.2";
  if (!existsSync(linker)) return [];
  const env = { ...path, LD_TRACE_LOADED_OBJECTS: "1", LD_PRELOAD: openedAtRunTime.join(" ") };
  const { stdout, stderr } = await promisify(execFile)(linker, [provider], { env }).catch(
    // With a library missing that another one needs by version, it may end with a code.
    (error: { stdout?: string; stderr?: string }) => ({
      stdout: error.stdout ?? "",
      stderr: error.stderr ?? "",
    }),
  );
  const needed = [...stdout.matchAll(/^\s*(\S+) => not found/gm)];
  const opened = [...stderr.matchAll(/object '([^']+)' from LD_PRELOAD cannot be preloaded/g)];
  return [...new Set([...needed, ...opened].map(([, name]) => name!))].toSorted();
}

/** Libraries that the provider's header does not name: it opens them when it first needs them. */
const openedAtRunTime = ["libcudnn.so.9", "libcudnn_graph.so.9", "libnvrtc.so.13"];

const libraryPath = ({ LD_LIBRARY_PATH }: NodeJS.ProcessEnv): { LD_LIBRARY_PATH?: string } =>
  LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH };

/** The path of libonnxruntime.so.1 in the memory map of a process (/proc/self/maps). */
export function loadedOnnxruntime(maps: string): string | undefined {
  return /\S*\/libonnxruntime\.so\.1$/m.exec(maps)?.[0];
}

/**
 * Explains a CUDA error of onnxruntime in one clause. For errors that drivers cause, it adds the version of
 * the driver; CUDA says only that it is insufficient.
 */
export async function cudaReason(
  message: string,
  driverFile = "/proc/driver/nvidia/version",
): Promise<string> {
  const reason = /(?:CUDA|CUBLAS|CUDNN) failure \d+: [^;]+/.exec(message)?.[0].trim();
  if (reason === undefined) return message.trim().split("\n")[0]!;
  if (!/driver|no CUDA-capable device/i.test(reason)) return reason;
  const version = /Kernel Module.*?\s(\d+\.\d+(?:\.\d+)?)\s/.exec(
    await readFile(driverFile, "utf8").catch(() => ""),
  );
  const driver = version === null ? "no NVIDIA driver is loaded" : `the NVIDIA driver is ${version[1]}`;
  return `${reason}; ${driver}, and ${readCudaPins().driver_min} or newer is needed`;
}
