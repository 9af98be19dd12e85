import { existsSync } from "node:fs";
import { type AcceptanceFlags, acceptTerms, readAcceptance } from "../licence/acceptance.ts";
import { megabytes } from "../megabytes.ts";
import { asker, progressLine, stopOnSignals } from "../pull/terminal-pull.ts";
import { cudaFolder } from "./cuda-folder.ts";
import { type CudaPins, readCudaPins } from "./cuda-pins.ts";
import { cudaFaults, installCuda, removeCuda } from "./install.ts";

/**
 * `npm run models -- gpu`: shows the licences of the CUDA libraries, has them accepted, and fetches and
 * installs them; or lists, verifies or removes them. Returns false if `--verify` finds a fault. Throws one
 * sentence.
 */
export async function runGpu(modelsDir: string, { action, flags, from }: GpuCall): Promise<boolean> {
  const pins = readCudaPins();
  switch (action) {
    case "list":
      for (const line of await cudaLines(modelsDir, pins)) console.log(line);
      return true;
    case "verify": {
      const faults = await cudaFaults(modelsDir, pins);
      for (const fault of faults) console.error(fault);
      if (faults.length === 0) console.log(`${cudaFolder(modelsDir, pins)} is as it was installed`);
      return faults.length === 0;
    }
    case "remove":
      await removeCuda(modelsDir);
      console.log("the CUDA libraries are removed");
      return true;
    case "install": {
      requireLinuxX64(process);
      using stop = stopOnSignals();
      const bytes = pins.wheels.reduce((sum, wheel) => sum + wheel.bytes, 0);
      await acceptTerms(modelsDir, [{ terms: pins.terms, bytes }], {
        flags,
        ask: asker(stop),
        print: console.log,
        now: new Date(),
      });
      const options = { from, print: console.log, progress: progressLine(), stop: stop.signal };
      await installCuda(modelsDir, pins, options);
      return true;
    }
  }
}

/** One line a wheel, and where its libraries are. */
async function cudaLines(modelsDir: string, pins: CudaPins): Promise<string[]> {
  const accepted = await readAcceptance(modelsDir, pins.terms);
  const folder = cudaFolder(modelsDir, pins);
  return [
    ...pins.wheels.map(
      ({ name, version, bytes, sha256 }) =>
        `${name.padEnd(20)}  ${version.padEnd(10)}  ${megabytes(bytes).padStart(9)}  ${sha256.slice(0, 12)}`,
    ),
    `for onnxruntime ${pins.onnxruntime} and NVIDIA drivers ${pins.driver_min} or later`,
    existsSync(folder) ? `installed in ${folder}` : "not installed",
    accepted === undefined
      ? "licences not accepted"
      : `licences accepted on ${accepted.accepted_at.slice(0, 10)}`,
  ];
}

function requireLinuxX64({ platform, arch }: Pick<NodeJS.Process, "platform" | "arch">): void {
  if (platform === "linux" && arch === "x64") return;
  throw new Error(`There are CUDA libraries only for linux-x64, and this is ${platform}-${arch}.`);
}

type GpuCall = {
  action: "install" | "list" | "verify" | "remove";
  flags: AcceptanceFlags;
  from: string | undefined;
};
