import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test from "node:test";

const unshare = ["--pid", "--fork", "--kill-child", ...(process.getuid?.() === 0 ? [] : ["--map-root-user"])];
const probe = spawnSync("unshare", [...unshare, "true"], { encoding: "utf8" });
const skip =
  probe.status !== 0 &&
  `NOT CHECKED what process 1 does: no namespaces here (${probe.error ?? probe.stderr})`;

/** The time limit only ends a test that fails. */
const options = { encoding: "utf8", timeout: 600_000, killSignal: "SIGKILL" } as const;

// A thread that hangs in native code, which no exit of Node can end.
const script = `
  import { once } from "node:events";
  import { Worker } from "node:worker_threads";
  import { exitFatally } from ${JSON.stringify(join(import.meta.dirname, "process-lifecycle.ts"))};
  const hang = \`
    import { pbkdf2Sync } from "node:crypto";
    import { parentPort } from "node:worker_threads";
    parentPort.postMessage("hangs now");
    pbkdf2Sync("", "", 2 ** 31 - 1, 32, "sha512");
  \`;
  await once(new Worker(hang, { eval: true }), "message");
  exitFatally({ fatal: ({ reason }) => console.log(reason, process.pid === 1) })(new Error("hung"));
`;
const node = [process.execPath, "--input-type=module", "--eval", script];

test("a process ends although a thread of it hangs", () => {
  const { signal, stdout } = spawnSync(node[0]!, node.slice(1), options);
  assert.deepEqual([signal, stdout], ["SIGKILL", "hung false\n"]);
});

test("a process ends although a thread hangs, also as process 1 of a container", { skip }, () => {
  const { status, signal, stdout, error } = spawnSync("unshare", [...unshare, ...node], options);
  assert.equal(error, undefined, "it still runs");
  assert.equal(stdout, "hung true\n");
  assert.ok(signal !== null || status !== 0);
});
