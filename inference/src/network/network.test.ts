import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import * as ort from "@faceline/models/onnxruntime";
import { builtModels } from "../../testing/photographs.ts";
import { Network } from "./network.ts";
import { warmUpClock } from "./warm-up-clock.ts";

test("on a CPU four rows run at once although such runs waited for a core while a worker started", async () => {
  const session = sessionOf((count) => {
    work(count === 4 ? 6 : 3);
    // Another worker has the core.
    if (count === 4) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
  });
  const network = await Network.open(source, session, [1, 4], { clock: warmUpClock("cpu") });
  const { runs } = await network.run(4, rows);
  assert.equal(runs, 1);
});

const source = { name: "modelled", px: 1, tensors: { input: "image", outputs: { out: "out" } } };
const rows = { write: (_: number, row: Uint8Array) => row.fill(0), read: () => {} };

/** A session that calls `onRun` with the number of rows of each run. */
function sessionOf(onRun: (count: number) => unknown): ort.InferenceSession {
  const run = async ({ image }: { image: ort.Tensor }) => {
    const [count = 0] = image.dims;
    onRun(count);
    return { out: new ort.Tensor("float32", new Float32Array(count), [count, 1]) };
  };
  return { run } as unknown as ort.InferenceSession;
}

/** Some milliseconds of CPU time. */
function work(units: number): void {
  let value = 1;
  for (let step = 0; step < units * 20_000; step++) value = (value * 48_271) % 2_147_483_647;
  assert.ok(value > 0);
}

// This one needs a process that really runs out of memory.

test("a size that memory does not suffice for is left out at warm-up, and more rows take several runs", async () => {
  const module = `
    import { execFileSync } from "node:child_process";
    import { readFileSync } from "node:fs";
    import { readCatalogue } from "@faceline/models/catalogue";
    import { readModel } from "@faceline/models/model-file";
    import { tensorNames } from "./model-loader.ts";
    import { Network } from "./network.ts";
    import { openSession } from "./session.ts";

    const limitAddressSpace = (soft) => execFileSync("prlimit", ["--pid", process.pid, "--as=" + soft + ":"]);
    const model = (await readCatalogue()).find("detector", "ssd");
    const bytes = await readModel(process.env.MODELS_DIR, model, { precision: "float32", input_px: 512 });
    const session = await openSession(bytes, { executionProvider: "cpu", intraOpThreads: 1 });
    const source = { name: "ssd", px: 512, tensors: tensorNames(model) };
    const virtualKib = /VmSize:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1];
    // A run takes about 50 MB an image.
    limitAddressSpace(1_024 * virtualKib + 10 ** 9);
    const warmUps = [];
    const network = await Network.open(source, session, [1, 64], { onWarmUp: (each) => warmUps.push(each) });
    const { runs } = await network.run(3, { write: (row, input) => input.fill(0), read: () => {} });
    limitAddressSpace("unlimited");
    const isWarm = warmUps.map(({ network, size, times }) => [network, size, times !== undefined]);
    console.log(JSON.stringify({ isWarm, sizes: network.sizes.map(({ size }) => size), runs }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--eval", module], {
    cwd: import.meta.dirname,
    env: { ...process.env, MODELS_DIR: await builtModels() },
  });
  assert.deepEqual(JSON.parse(stdout), {
    isWarm: [
      ["ssd", 64, false],
      ["ssd", 1, true],
    ],
    sizes: [1],
    runs: 3,
  });
});
