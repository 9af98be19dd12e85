import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { builtModels } from "../../testing/photographs.ts";

// Covers lanes.ts and engine.ts on a process that really runs out of memory.

test("a worker that is out of memory takes smaller batches from then on", async () => {
  const module = `
    import { execFileSync } from "node:child_process";
    import { readFileSync } from "node:fs";
    import { laneId } from "@faceline/contracts/wire/ids";
    import { oneAtATime } from "../../testing/lane-settings.ts";
    import { engineImage, groupPhotograph } from "../../testing/photographs.ts";
    import { openEngine } from "./engine.ts";

    const lane = laneId("Dlib", "ssd");
    const sizes = { batchMax: 32, detectorChunkMax: 32 };
    const options = { ...oneAtATime, ...sizes, modelsDir: process.env.MODELS_DIR, lanes: [lane] };
    await using engine = await openEngine({ ...options, modelled: undefined });
    const image = await engineImage(groupPhotograph(3));
    const pixels = new Uint8Array(new SharedArrayBuffer(image.pixels.length));
    pixels.set(image.pixels);
    image.pixels = pixels;
    const run = (count) => engine.run({ lane, images: Array(count).fill(image) }).then(() => "", String);
    const sizesNow = () => engine.lanes[0].sizes.map(({ size }) => size);
    const limitAddressSpace = (soft) => execFileSync("prlimit", ["--pid", process.pid, "--as=" + soft + ":"]);

    await run(1);
    const virtualKib = /VmSize:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1];
    // Room for V8, and not for a run: the detector takes 6 MB in int8 for a large image, one at a time.
    limitAddressSpace(1_024 * virtualKib + 2 ** 22);
    const failed = await run(32);
    const sizesAfter = sizesNow();
    limitAddressSpace("unlimited");
    console.log(JSON.stringify({ failed, sizesAfter, next: await run(1), sizesThen: sizesNow() }));`;
  // Large blocks come from the system and go back to it, so that the limit holds for every run.
  const malloc = { MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_ARENA_MAX: "1" };
  const env = { ...process.env, ...malloc, MODELS_DIR: await builtModels() };
  const { stdout } = await promisify(execFile)(process.execPath, ["--eval", module], {
    cwd: import.meta.dirname,
    env,
  });
  assert.deepEqual(JSON.parse(stdout), {
    failed:
      "Error: a run of the engine failed: out of memory in a batch of 32; " +
      "Dlib/ssd takes batches of 16 from now on",
    sizesAfter: [1, 2, 4, 8, 16],
    next: "",
    sizesThen: [1, 2, 4, 8, 16],
  });
});
