// Covers the CUDA path of inference/src/network with the real libraries: cuda-libraries.ts, session.ts,
// placement.ts. Without a GPU it ends where the driver is needed.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { cudaEnvironment, cudaFolder } from "@faceline/models/gpu/cuda-folder";
import { readCudaPins } from "@faceline/models/gpu/cuda-pins";
import { modelsFolder } from "@faceline/models/model-file";
import { largestDifference, runNetworksOn } from "@faceline/testing/networks-on";

const folder = cudaFolder(modelsFolder, readCudaPins());
const skip = !existsSync(folder) && `NOT CHECKED with CUDA: there is no ${folder} (npm run models -- gpu)`;
const hasDriver = existsSync("/proc/driver/nvidia/version");
const hasCompiler = spawnSync("cc", ["--version"]).status === 0;
const { LD_LIBRARY_PATH = "" } = cudaEnvironment(modelsFolder, { EXECUTION_PROVIDER: "cuda" });

test("CUDA runs the networks, or is an error that says what is missing", { skip }, async (t) => {
  await t.test("libraries that the process was not started with", async () => {
    const { error } = await runNetworksOn("cuda", { LD_LIBRARY_PATH: "" });
    assert.match(error ?? "it ran", /cuda cannot be used here: LD_LIBRARY_PATH did not name .*\/gpu\//);
  });

  await t.test("int8 is refused with a sentence that says what to set", async () => {
    const { error } = await runNetworksOn("cuda", { LD_LIBRARY_PATH }, "int8");
    assert.match(error ?? "it ran", /^PRECISION asks for int8, which cuda does not run; only cpu does: set/);
  });

  await t.test("onnxruntime of the wheel gives on the CPU what that of npm gives", async (t) => {
    const difference = largestDifference(
      await runNetworksOn("cpu"),
      await runNetworksOn("cpu", { LD_LIBRARY_PATH }),
    );
    t.diagnostic(`outputs differ by at most ${difference.toExponential(1)}`);
    assert.ok(difference <= 1e-5, `${difference}`);
  });

  await t.test("a driver that is missing", { skip: hasDriver && "there is an NVIDIA driver" }, async () => {
    const { error } = await runNetworksOn("cuda", { LD_LIBRARY_PATH });
    assert.match(
      error ?? "it ran",
      /^the execution provider cuda cannot be used here: there is no libcuda\.so\.1, which comes with the NVIDIA/,
    );
  });

  const noStub = hasDriver
    ? "there is an NVIDIA driver"
    : !hasCompiler && "NOT CHECKED: there is no C compiler";
  await t.test("a driver that cannot do anything: all libraries load", { skip: noStub }, async () => {
    const stub = mkdtempSync(join(process.env["FACELINE_TEST_RUN"] ?? tmpdir(), "libcuda-"));
    const library = join(stub, "libcuda.so.1");
    execFileSync("cc", ["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", library, "-x", "c", "-"], {
      input: "int cuTensorMapEncodeTiled(void) { return 999; }",
    });
    const { error } = await runNetworksOn("cuda", { LD_LIBRARY_PATH: `${LD_LIBRARY_PATH}:${stub}` });
    assert.match(
      error ?? "it ran",
      /CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version; no NVIDIA driver is loaded/,
    );
  });

  const noGpu = !hasDriver && "NOT CHECKED on a GPU: there is no NVIDIA driver here";
  await t.test("a GPU gives what the CPU gives", { skip: noGpu }, async (t) => {
    const [cpu, cuda] = [await runNetworksOn("cpu"), await runNetworksOn("cuda", { LD_LIBRARY_PATH })];
    // Loading ends with an error if a convolution or a matrix product ran on the CPU.
    assert.deepEqual([cpu.error, cuda.error], [undefined, undefined]);
    const difference = largestDifference(cpu, cuda);
    t.diagnostic(`outputs differ by at most ${difference.toExponential(1)}`);
    // TF32, which onnxruntime uses for products, has 10 bits of a mantissa.
    assert.ok(difference <= 1e-2, `${difference}`);
  });
});
