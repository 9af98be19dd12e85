import { spawn } from "node:child_process";
import { constants } from "node:os";
import { createInterface } from "node:readline";
import { repository } from "../launcher/state-folder.ts";

/** Runs a program in the repository and shows each line that `show` lets through. Returns its exit code. */
export async function foreground(
  command: string,
  args: string[],
  options: ForegroundOptions,
): Promise<number> {
  const { show = () => true, stop } = options;
  const child = spawn(command, args, {
    cwd: repository,
    env: options.env ?? process.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const pass = () => child.kill("SIGTERM");
  stop?.addEventListener("abort", pass, { once: true });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream, crlfDelay: Infinity }).on("line", (line) => {
      if (show(line)) process.stdout.write(`${line}\n`);
    });
  }
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.on("error", reject);
  child.on("close", (code, signal) => resolve(code ?? 128 + constants.signals[signal!]));
  return promise.finally(() => stop?.removeEventListener("abort", pass));
}

export type ForegroundOptions = {
  env?: NodeJS.ProcessEnv;
  stop?: AbortSignal;
  show?: (line: string) => boolean;
};
