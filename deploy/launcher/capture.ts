import { spawn } from "node:child_process";
import { constants } from "node:os";

/**
 * Runs a program to its end and returns its output (stdout and stderr, the last 64 KiB). Throws when it
 * fails, with the last lines of the output, which most often hold the reason. Throws `absent` when the
 * program is missing.
 */
export async function capture(
  command: string,
  args: string[],
  options: CaptureOptions = {},
): Promise<string> {
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.stop === undefined ? {} : { signal: options.stop }),
  });
  let printed = "";
  const read = (chunk: Buffer) => {
    printed = (printed + chunk.toString("utf8")).slice(-outputCharactersMax);
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.on("error", (error) => {
    const missing = "code" in error && error.code === "ENOENT";
    reject(missing && options.absent !== undefined ? new Error(options.absent) : error);
  });
  child.on("close", (code, signal) => resolve(code ?? 128 + constants.signals[signal!]));
  const code = await promise;
  if (code === 0) return printed;
  const end = printed.trim().split("\n").slice(-15).join("\n");
  throw new Error(`${options.failed ?? `${command} ${args[0] ?? ""} failed`} (exit code ${code}):\n${end}`);
}

const outputCharactersMax = 64 * 1024;

type CaptureOptions = {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  stop?: AbortSignal;
  /** The sentence for a program that is not installed. */
  absent?: string;
  /** The sentence for a program that fails. */
  failed?: string;
};
