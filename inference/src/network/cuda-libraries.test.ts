import assert from "node:assert/strict";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "@faceline/models/testing/temporary-folder";
import { cudaReason, loadedOnnxruntime, missingLibraries, requireCudaLibraries } from "./cuda-libraries.ts";

// tools/e2e/cuda.e2e.test.ts has the real libraries. Here a library of onnxruntime-node stands for the
// execution provider: it too needs one that lies beside it.
const packageFolder = dirname(createRequire(import.meta.url).resolve("onnxruntime-node/package.json"));
const binding = join(
  packageFolder,
  "bin/napi-v6",
  process.platform,
  process.arch,
  "onnxruntime_binding.node",
);
const skip = !(process.platform === "linux" && process.arch === "x64") && "NOT TESTED: not linux-x64";

test("without the execution provider the command that fetches it is named", async (t) => {
  const folder = await temporaryFolder(t);
  await assert.rejects(requireCudaLibraries(join(folder, "models"), join(folder, "libonnxruntime.so.1")), {
    message:
      "the execution provider cuda cannot be used here: there is no " +
      `${folder}/libonnxruntime_providers_cuda.so; "npm run models -- gpu" fetches it and the CUDA libraries`,
  });
});

test("with the libraries there and LD_LIBRARY_PATH unset, it is what is missing", async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, "gpu/1.30.0"), { recursive: true });
  await assert.rejects(requireCudaLibraries(folder, join(folder, "libonnxruntime.so.1")), {
    message:
      `the execution provider cuda cannot be used here: LD_LIBRARY_PATH did not name ${folder}/gpu/1.30.0, ` +
      "where the CUDA libraries are, when the process started; npm start sets it",
  });
});

test("libraries that the provider needs or opens later are named", { skip }, async (t) => {
  const folder = await temporaryFolder(t);
  const provider = join(folder, "libonnxruntime_providers_cuda.so");
  await cp(binding, provider);
  const opened = ["libcudnn.so.9", "libcudnn_graph.so.9", "libnvrtc.so.13"];
  assert.deepEqual(await missingLibraries(provider, {}), [...opened, "libonnxruntime.so.1"]);
  const LD_LIBRARY_PATH = dirname(binding);
  assert.deepEqual(await missingLibraries(provider, { LD_LIBRARY_PATH }), opened);
  await assert.rejects(
    requireCudaLibraries(folder, join(folder, "libonnxruntime.so.1")),
    /the dynamic linker does not find libcudnn\.so\.9, .*libonnxruntime\.so\.1; "npm run models -- gpu --verify"/,
  );
});

test("the path of the library that a process has loaded is read from its memory map", () => {
  const line = (path: string) => `7f00-7f01 r-xp 00000000 fe:00 42                      ${path}\n`;
  const path = "/models/gpu/1.30.0/libonnxruntime.so.1";
  assert.equal(loadedOnnxruntime(line("/usr/lib/libc.so.6") + line(path)), path);
  assert.equal(loadedOnnxruntime(line("/usr/lib/libc.so.6")), undefined);
});

test("an error of CUDA is one clause, with the version of the driver where that is the cause", async (t) => {
  const folder = await temporaryFolder(t);
  const driverFile = join(folder, "version");
  const insufficient =
    "/onnxruntime_src/cuda_call.cc:154 void onnxruntime::CudaCall(...) CUDA failure 35: CUDA driver version is " +
    "insufficient for CUDA runtime version ; GPU=-1 ; hostname=h ; expr=cudaSetDevice(info_.device_id); \n\n";
  const reason = "CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version";
  assert.equal(
    await cudaReason(insufficient, driverFile),
    `${reason}; no NVIDIA driver is loaded, and 580 or newer is needed`,
  );
  for (const kernelModule of [
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC 2023",
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  535.129.03  Release Build  (dvs-builder@host)",
  ]) {
    await writeFile(driverFile, `${kernelModule}\nGCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n`);
    assert.equal(
      await cudaReason(insufficient, driverFile),
      `${reason}; the NVIDIA driver is 535.129.03, and 580 or newer is needed`,
    );
  }
  assert.equal(
    await cudaReason("x CUDA failure 101: invalid device ordinal ; GPU=7 ; hostname=h", driverFile),
    "CUDA failure 101: invalid device ordinal",
  );
  assert.equal(await cudaReason("another fault\nof two lines", driverFile), "another fault");
});
