import { spawn } from "node:child_process";
import { constants } from "node:os";
import { createInterface } from "node:readline";
import { commandOutput } from "@faceline/runtime/command-output";
import { lifelineStdio, programWithLifeline, releaseLifeline } from "./lifeline.ts";
import { repository } from "./state-folder.ts";

/**
 * Runs a program in the repository's folder and prints its output, line by line. `show` may keep a line from
 * being printed. Returns the exit code. Sends SIGTERM when `stop` aborts, or when this process is killed.
 */
export async function runInForeground(
  command: string,
  args: string[],
  options: ForegroundOptions,
): Promise<number> {
  const { show = () => true, stop } = options;
  const child = spawn("/bin/sh", ["-c", `${programWithLifeline}exec "$@"`, "sh", command, ...args], {
    cwd: repository,
    env: options.env ?? process.env,
    stdio: [...lifelineStdio],
  });
  releaseLifeline(child);
  const terminate = () => child.kill("SIGTERM");
  stop?.addEventListener("abort", terminate, { once: true });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream!, crlfDelay: Infinity }).on("line", (line) => {
      if (show(line)) commandOutput.print(line);
    });
  }
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.on("error", reject);
  child.on("close", (code, signal) => resolve(code ?? 128 + constants.signals[signal!]));
  return promise.finally(() => stop?.removeEventListener("abort", terminate));
}

type ForegroundOptions = {
  env?: NodeJS.ProcessEnv;
  stop?: AbortSignal;
  show?: (line: string) => boolean;
};
