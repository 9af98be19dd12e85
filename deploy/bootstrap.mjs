// What `npm start` and its kin run first: node deploy/bootstrap.mjs FILE.ts [arguments]
//
// Runs on Node 20, so that a clone needs nothing newer: installs the packages when the lock file has changed
// since the last install, then runs FILE with the Node 24 that is one of them.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const startedAt = Date.now();
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const packages = join(root, "node_modules");
const node24 = join(packages, "node", "bin", process.platform === "win32" ? "node.exe" : "node");
/** The hash of the lock file that was installed last. */
const stamp = join(packages, ".faceline-lock");

const [file, ...rest] = process.argv.slice(2);
if (file === undefined) fail("Usage: node deploy/bootstrap.mjs FILE.ts [arguments]");

const lockHash = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .digest("hex");
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== lockHash) await install();
if (!existsSync(node24)) {
  fail(
    "Node 24 did not come with the packages: remove node_modules, run `npm ci`, and let the script of `node` run.",
  );
}

const state = resolve(root, process.env.FACELINE_STATE || ".faceline");
mkdirSync(state, { recursive: true, mode: 0o700 });
const { code, signal } = await run(node24, [resolve(root, file), ...rest], {
  ...process.env,
  // Also for the node of the tests' and the type checker's own scripts.
  PATH: [dirname(node24), join(packages, ".bin"), process.env.PATH].join(delimiter),
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(state, "compile-cache"),
  FACELINE_STARTED_AT: String(startedAt),
  // models/src/onnxruntime-telemetry.ts sets these for whatever loads onnxruntime; this covers what forgets
  // to.
  ORT_DISABLE_TELEMETRY: "1",
  ORT_TELEMETRY_DISABLED: "1",
});
process.exit(code ?? 128 + constants.signals[signal]);

async function install() {
  process.stdout.write("packages: npm ci …\n");
  const { code } = await run("npm", ["ci", "--loglevel=error"], {
    ...process.env,
    // npm removes node_modules first: it must not run on the node that lies in there.
    PATH: (process.env.PATH ?? "")
      .split(delimiter)
      .filter((folder) => !folder.startsWith(packages))
      .join(delimiter),
    // npm 10 knows no `allowScripts`: onnxruntime-node would download CUDA libraries where it sees nvcc.
    ONNXRUNTIME_NODE_INSTALL: "skip",
  });
  if (code !== 0) fail("The packages could not be installed: see npm's message above.");
  writeFileSync(stamp, lockHash);
  process.stdout.write(`packages: installed in ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

/**
 * Runs a program in the foreground and passes signals on. At a terminal, Ctrl-C reaches the whole group, so
 * the program may get it twice: those that count signals take what comes within a second as one.
 */
function run(program, args, env) {
  const child = spawn(program, args, { cwd: root, env, stdio: "inherit" });
  const passed = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => [signal, () => child.kill(signal)]);
  for (const [signal, pass] of passed) process.on(signal, pass);
  return new Promise((done) => {
    child.on("error", (error) => fail(`${program} could not be started: ${error.message}`));
    child.on("exit", (code, signal) => {
      for (const [name, pass] of passed) process.off(name, pass);
      done({ code, signal });
    });
  });
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
