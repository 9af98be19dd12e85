// Covers the WebGPU path of inference/src/network: execution-provider.ts, placement.ts, session.ts,
// precision.ts.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { largestDifference, runNetworksOn } from "@faceline/testing/networks-on";

// SwiftShader is a Vulkan driver that runs on the CPU. Debian's package chromium-common brings it and
// Vulkan's loader. It stands for a GPU: placement and arithmetic are those of WebGPU, its times say nothing.
const driverFolder = "/usr/lib/chromium";
const driver = join(driverFolder, "vk_swiftshader_icd.json");
const skip =
  !existsSync(driver) &&
  `NOT CHECKED on WebGPU: there is no ${driver} (apt-get install chromium-common, on Debian)`;

test("the networks run on WebGPU as on the CPU", { skip }, async (t) => {
  const environment = {
    VK_ICD_FILENAMES: driver,
    LD_LIBRARY_PATH: driverFolder,
    XDG_RUNTIME_DIR: mkdtempSync(join(process.env["FACELINE_TEST_RUN"] ?? tmpdir(), "vulkan-")),
  };
  await t.test("all nodes run there, and outputs differ by at most 0.0001", async (t) => {
    const [cpu, webgpu] = [await runNetworksOn("cpu"), await runNetworksOn("webgpu", environment)];
    // Loading ends with an error if a convolution or a matrix product ran on the CPU.
    assert.deepEqual([cpu.error, webgpu.error], [undefined, undefined]);
    const difference = largestDifference(cpu, webgpu);
    t.diagnostic(`outputs differ by at most ${difference.toExponential(1)}`);
    assert.ok(difference <= differenceMax, `${difference}`);
  });

  await t.test("int8 is refused with a sentence that says what to set", async () => {
    const { error } = await runNetworksOn("webgpu", environment, "int8");
    assert.equal(
      error,
      "PRECISION asks for int8, which webgpu does not run; only cpu does: set PRECISION to auto or float",
    );
  });

  await t.test("without a driver it is an error that says what is missing and what to set", async () => {
    const { error } = await runNetworksOn("webgpu", {
      ...environment,
      VK_ICD_FILENAMES: "/nowhere/driver.json",
    });
    assert.match(
      error ?? "it ran",
      /^the execution provider webgpu cannot be used here \(it needs a GPU, its /,
    );
    assert.match(
      error ?? "",
      /Vulkan driver and the loader libvulkan\.so\.1; EXECUTION_PROVIDER=cpu needs none/,
    );
  });
});

/** Outputs have values up to 1. Seen: 2.5e-7. */
const differenceMax = 1e-4;
