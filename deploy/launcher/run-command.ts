import { commandOutput } from "@faceline/runtime/command-output";
import { type StopRequests, stopRequests } from "./stop-requests.ts";

/**
 * Runs one of the commands of package.json from its start to its end, and exits. With `--help` it only prints
 * `usage`. An error is one sentence on stderr and exit code 1. An interrupted command exits with
 * `interruptedCode`, and its error is not printed: it is a consequence.
 */
export async function runCommand(
  usage: string,
  run: (command: Command) => Promise<void>,
  { interruptedCode = 130 }: { interruptedCode?: number } = {},
): Promise<never> {
  const { print } = commandOutput;
  const requests = stopRequests(print);
  try {
    if (process.argv.slice(2).includes("--help")) print(usage);
    else await run({ print, ...requests });
  } catch (error) {
    process.exitCode = 1;
    if (!requests.stop.aborted) process.stderr.write(`\n${(error as Error).message}\n`);
  }
  if (requests.stop.aborted) process.exitCode = interruptedCode;
  process.exit();
}

export type Command = StopRequests & { print: (line: string) => void };
