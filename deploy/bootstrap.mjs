// The first step of every command in package.json: node deploy/bootstrap.mjs FILE.ts [arguments]
//
// Runs on Node 20, so that a clone needs nothing newer. Installs the packages when the lock file has changed
// since the last installation, then runs FILE with the Node 24 that comes with the packages. Commands of
// operators need the packages of the services alone; those of developers, in tools/commands, need all.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const startedAt = Date.now();
if (process.platform === "win32") {
  fail(
    "Faceline does not run on Windows itself: install WSL (`wsl --install`), and run this command in there.",
  );
}
// A file from Windows leaves a carriage return at the end of each value.
for (const [name, value] of Object.entries(process.env)) process.env[name] = value.trim();
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const packages = join(root, "node_modules");
const node24 = findNode24();
/** Libraries that npm installs on every platform: 220 MB are of others. */
const otherPlatforms = ["darwin", "linux", "win32"]
  .filter((platform) => platform !== process.platform)
  .map((platform) => join(packages, "onnxruntime-node", "bin", "napi-v6", platform));
/** Holds the hash of the lock file of the last installation, and whether it was all of it. */
const stamp = join(packages, ".faceline-lock");

const [file, ...rest] = process.argv.slice(2);
if (file === undefined) fail("Usage: node deploy/bootstrap.mjs FILE.ts [arguments]");

const lockHash = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .digest("hex");
const [installedHash, installed] = existsSync(stamp) ? readFileSync(stamp, "utf8").split(" ") : [];
const wanted = installed === "all" || file.startsWith("tools/commands/") ? "all" : "services";
const isCurrent = installedHash === lockHash && existsSync(node24);
if (!isCurrent || (wanted === "all" && installed !== "all")) await install();

const state = resolve(root, process.env.FACELINE_STATE || ".faceline");
mkdirSync(state, { recursive: true, mode: 0o700 });
const noProxy = process.env.no_proxy === undefined ? "NO_PROXY" : "no_proxy";
const { code, signal } = await run(node24, [resolve(root, file), ...rest], {
  ...process.env,
  // So that child processes (tests, the type checker) use Node 24 too.
  PATH: [dirname(node24), join(packages, ".bin"), process.env.PATH].join(delimiter),
  // Commands and services ask each other on this machine, for which no proxy is of use.
  [noProxy]: [process.env[noProxy], process.env.HOST, "localhost,127.0.0.1,::1,[::1]"].filter(Boolean).join(),
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(state, "compile-cache"),
  FACELINE_STARTED_AT: String(startedAt),
  // models/src/onnxruntime-telemetry.ts sets these too. Here they cover code that loads onnxruntime without
  // it.
  ORT_DISABLE_TELEMETRY: "1",
  ORT_TELEMETRY_DISABLED: "1",
});
process.exit(code ?? 128 + constants.signals[signal]);

/**
 * The Node of the packages. Its package is optional, because each is for one platform, and npm checks it
 * against the hash in package-lock.json when it unpacks it. Other platforms need a Node 24 of their own.
 */
function findNode24() {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const names = ["node", "node-bin"].map((start) => `${start}-${process.platform}-${process.arch}`);
  const name = names.find((each) => each in optionalDependencies);
  if (name !== undefined) return join(packages, name, "bin", "node");
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  fail(
    `There is no Node 24 package for ${process.platform}-${process.arch}: install Node 24, and run this on it.`,
  );
}

async function install() {
  // What is missing is added to what is there: npm ci would take the packages of a running service away.
  const args = isCurrent ? ["install", "--no-save"] : ["ci"];
  if (wanted === "services") args.push("--omit=dev");
  process.stdout.write(`packages: npm ${args.join(" ")} …\n`);
  const ticker = setInterval(() => {
    process.stdout.write(`packages: npm … ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
  }, 15_000);
  const { code } = await run("npm", [...args, "--loglevel=error"], {
    ...process.env,
    // npm removes node_modules first, so it must not run on the Node 24 in there.
    PATH: (process.env.PATH ?? "")
      .split(delimiter)
      .filter((folder) => !folder.startsWith(packages))
      .join(delimiter),
  });
  clearInterval(ticker);
  if (code !== 0) fail("The packages could not be installed: see npm's message above.");
  // npm does not call it a failure when an optional package cannot be installed.
  if (!existsSync(node24)) {
    fail(
      "Node 24 was not installed: its package could not be fetched, or its hash differs from " +
        "package-lock.json. Run `npm ci --loglevel=verbose` to find out which, and `npm cache verify` before another try.",
    );
  }
  for (const unneeded of [...otherPlatforms, join(dirname(node24), "..", "include")]) {
    rmSync(unneeded, { recursive: true, force: true });
  }
  writeFileSync(stamp, `${lockHash} ${wanted}`);
  process.stdout.write(`packages: installed in ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

/**
 * Runs a program in the foreground and forwards signals. npm waits for its commands, so the program is
 * stopped as well when npm has ended: killed, it could send no signal. At a terminal, Ctrl-C reaches the
 * whole process group, so the program may receive it twice; launcher/stop-requests.ts counts signals within a
 * second as one.
 */
function run(program, args, env) {
  const child = spawn(program, args, { cwd: root, env, stdio: "inherit" });
  const forwarders = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => [signal, () => child.kill(signal)]);
  for (const [signal, pass] of forwarders) process.on(signal, pass);
  const npm = process.env.npm_lifecycle_event === undefined ? undefined : process.ppid;
  const timer = setInterval(() => {
    if (npm === undefined || process.ppid === npm) return;
    clearInterval(timer);
    child.kill("SIGTERM");
  }, 500).unref();
  return new Promise((done) => {
    child.on("error", (error) => fail(`${program} could not be started: ${error.message}`));
    child.on("exit", (code, signal) => {
      clearInterval(timer);
      for (const [name, pass] of forwarders) process.off(name, pass);
      done({ code, signal });
    });
  });
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
