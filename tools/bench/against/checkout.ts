import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { capture } from "@faceline/deploy/launcher/capture";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { repository } from "@faceline/deploy/launcher/state-folder";
import type { Target } from "../load/http-client.ts";
import { processes, treeOf } from "../observe/processes.ts";

/**
 * Checks a commit out into a folder, as a git worktree that is removed at the end. Throws if there is no such
 * commit. The first start in it installs its packages.
 */
export async function openCheckout(ref: string, folder: string): Promise<Checkout & AsyncDisposable> {
  const git = (...args: string[]) => capture("git", ["-C", repository, ...args]);
  const commit = (
    await capture("git", ["-C", repository, "rev-parse", "--verify", "--quiet", `${ref}^{commit}`], {
      failed: `--against names no commit of this repository: ${ref}`,
    })
  ).trim();
  const path = join(folder, "checkout");
  await removeWorktree(path);
  await git("worktree", "add", "--detach", "--force", path, commit);
  return {
    name: `${ref} (${commit.slice(0, 9)})`,
    path,
    [Symbol.asyncDispose]: () => removeWorktree(path),
  };
}

/** Removes a worktree, also one that a killed run has left. */
async function removeWorktree(path: string): Promise<void> {
  rmSync(path, { recursive: true, force: true });
  await capture("git", ["-C", repository, "worktree", "prune"]);
}

/**
 * Runs `npm start` of a checkout and waits until it is healthy. Uses its public interface alone (arguments,
 * environment, HTTP, the file of the development key), because an old commit has other files. Throws the end
 * of its output if it does not start. Linux only.
 */
export async function startInstance(options: InstanceOptions): Promise<Instance> {
  seedState(options.state, options.seed);
  try {
    return await startOnFreePorts(options);
  } catch (fault) {
    // Installing packages takes long enough for another process to take a port that was free.
    if (!/Port \d+ is taken/.test((fault as Error).message)) throw fault;
    return startOnFreePorts(options);
  }
}

async function startOnFreePorts(options: InstanceOptions): Promise<Instance> {
  const { checkout, state, engine, stop, force } = options;
  const [port = 0, kafka = 0, volatile = 0, durable = 0] = await freePorts(4);
  const child = spawn("npm", ["start", "--", ...engine.args], {
    cwd: checkout.path,
    // Leads a process group: npm, the bootstrap and the launcher are ended together.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...foreignEnvironment(),
      FACELINE_STATE: state,
      PORT: `${port}`,
      KAFKA_PORT: `${kafka}`,
      REDIS_VOLATILE_PORT: `${volatile}`,
      REDIS_DURABLE_PORT: `${durable}`,
      LOG_LEVEL: "warn",
      ...engine.settings,
    },
  });
  let output = "";
  const read = (chunk: Buffer) => void (output = (output + chunk.toString("utf8")).slice(-4_096));
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  const ended = { is: false };
  child.once("error", () => void (ended.is = true));
  child.once("exit", () => void (ended.is = true));

  const leader = child.pid;
  if (leader === undefined) throw new Error("npm could not be started: is it on the PATH?");
  const close = () => endGroup(leader, force);
  const address = `http://127.0.0.1:${port}`;
  try {
    const giveUpAt = performance.now() + startWithinMs;
    while (!(await isHealthy(address))) {
      if (ended.is || performance.now() > giveUpAt) {
        throw new Error(`${checkout.name} did not start:\n${output.trim()}`);
      }
      await sleep(250, undefined, { signal: stop });
    }
  } catch (fault) {
    await close();
    throw fault;
  }
  const key = readFileSync(join(state, "dev-key"), "utf8").trim();
  return {
    pid: leader,
    target: (path, bodies) => ({ url: `${address}${path}`, headers: { "x-api-key": key }, bodies }),
    [Symbol.asyncDispose]: close,
  };
}

/** Installing packages and building models are part of the first start. */
const startWithinMs = 300_000;

/**
 * Copies the servers and models that were fetched and built here, which saves minutes. They are found by file
 * name: a commit that needs other ones fetches them itself.
 */
function seedState(state: string, seed: string): void {
  if (existsSync(state)) return;
  mkdirSync(state, { recursive: true, mode: 0o700 });
  for (const folder of ["kafka/libs", "models"]) {
    const from = join(seed, folder);
    if (existsSync(from)) cpSync(from, join(state, folder), { recursive: true });
  }
  const redis = join(seed, "redis");
  if (!existsSync(redis)) return;
  mkdirSync(join(state, "redis"), { mode: 0o700 });
  for (const file of readdirSync(redis, { withFileTypes: true })) {
    if (file.isFile()) cpSync(join(redis, file.name), join(state, "redis", file.name));
  }
}

/** Environment without settings of npm, of this checkout's bootstrap and of its operator. */
function foreignEnvironment(): NodeJS.ProcessEnv {
  const own = /^(npm_|FACELINE_|KAFKA_|REDIS_|NODE_COMPILE_CACHE$|MODELS_DIR$|ENGINE$|PORT$)/;
  const path = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.startsWith(join(repository, "node_modules")));
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name))),
    PATH: path.join(delimiter),
  };
}

async function isHealthy(address: string): Promise<boolean> {
  try {
    const response = await fetch(`${address}/health`, { signal: AbortSignal.timeout(1_000) });
    const { status } = (await response.json()) as { status?: unknown };
    return response.ok && status === "ok";
  } catch {
    return false;
  }
}

/**
 * Ends a process group and waits for all of it: npm may end before the launcher, which still stops its
 * servers. When `force` aborts, the launcher gets a second signal, which makes it stop at once.
 */
async function endGroup(leader: number, force: AbortSignal): Promise<void> {
  const signalGroup = () => kill(-leader, "SIGTERM");
  signalGroup();
  force.addEventListener("abort", signalGroup, { once: true });
  const giveUpAt = performance.now() + stopWithinMs;
  while (processes().some(({ group }) => group === leader)) {
    if (performance.now() > giveUpAt) {
      for (const { pid } of treeOf(processes(), leader)) kill(pid, "SIGKILL");
      break;
    }
    await sleep(100);
  }
  force.removeEventListener("abort", signalGroup);
}

/** Longer than `npm start` gives its services (40 s). */
const stopWithinMs = 60_000;

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** A folder with a commit or with the working tree; `name` stands in tables. */
export type Checkout = { name: string; path: string };

/** Arguments of `npm start`, and settings by environment. */
export type StartEngine = {
  name: string;
  args: readonly string[];
  settings: Record<string, string>;
};

type InstanceOptions = {
  checkout: Checkout;
  /** Its state folder; made when it is not there. */
  state: string;
  engine: StartEngine;
  /** The state folder to copy servers and models from. */
  seed: string;
  stop: AbortSignal;
  force: AbortSignal;
};

export type Instance = AsyncDisposable & {
  /** The root of its process tree. */
  pid: number;
  target(path: string, bodies: string[]): Target;
};
