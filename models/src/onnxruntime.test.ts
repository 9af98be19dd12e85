import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { temporaryFolder } from "../testing/temporary-folder.ts";

// In processes of their own, because onnxruntime reads the environment once. Nothing else is in it: CI=true
// would turn telemetry off too.
test("a process that runs a network leaves nothing in the home folder and the temporary one", async (t) => {
  const { folder, run } = await emptyHome(t);
  await run(`
    import { Graph } from "./onnx/graph.ts";
    import { createSession, Tensor } from "./onnxruntime.ts";
    const graph = new Graph("same");
    graph.input("x", "float32", ["N"]);
    graph.node("y", "Identity", ["x"]);
    graph.output("y", "float32", ["N"]);
    const session = await createSession(graph.encode({}));
    await session.run({ x: new Tensor("float32", [1], [1]) });`);
  assert.deepEqual(readdirSync(folder, { recursive: true }), []);
});

test("a thread cannot load onnxruntime before its main thread has turned telemetry off", async (t) => {
  const { run } = await emptyHome(t);
  const thread = `
    import { Worker } from "node:worker_threads";
    await new Promise((resolve, reject) =>
      new Worker(new URL("./onnxruntime.ts", import.meta.url)).on("exit", resolve).on("error", reject));`;
  await assert.rejects(run(thread), /import onnxruntime-telemetry.ts on the main thread before/);
  await run(`import "./onnxruntime-telemetry.ts"; ${thread}`);
});

/** An empty folder for HOME and TMPDIR, and a function that runs a module of this folder with them. */
async function emptyHome(t: TestContext) {
  const folder = await temporaryFolder(t);
  const env = { HOME: folder, TMPDIR: folder, ORT_DISABLE_TELEMETRY: "0" };
  const here = import.meta.dirname;
  const run = (module: string) =>
    promisify(execFile)(process.execPath, ["--eval", module], { cwd: here, env });
  return { folder, run };
}
