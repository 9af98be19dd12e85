import type { AcceptanceOptions } from "../licence/acceptance.ts";
import { askAtTerminal } from "../licence/terminal.ts";
import { megabytes } from "../megabytes.ts";

/** Dialogue of a command that downloads, at a terminal. */

/** Aborts on SIGINT and SIGTERM until it is disposed of. */
export function stopOnSignals(): AbortController & Disposable {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort(new Error("The pull was stopped."));
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  return Object.assign(stop, {
    [Symbol.dispose]: () => void process.off("SIGINT", onSignal).off("SIGTERM", onSignal),
  });
}

/** Asks at the terminal; undefined if there is none. */
export function asker(stop: AbortController): AcceptanceOptions["ask"] {
  const { stdin: input, stdout: output } = process;
  if (!input.isTTY || !output.isTTY) return undefined;
  return (question) => askAtTerminal(question, { input, output, stop });
}

/** Prints the progress of a download, at most every two seconds if nobody watches it. */
export function progressLine(): (bytes: number, of: number) => void {
  let printedAt = performance.now();
  return (bytes, of) => {
    const now = performance.now();
    if (now - printedAt < (process.stderr.isTTY ? 100 : 2_000) && bytes !== of) return;
    const line = `  ${megabytes(bytes)} of ${megabytes(of)}`;
    if (process.stderr.isTTY) process.stderr.write(`\r${line}${bytes === of ? "\n" : ""}`);
    else if (now - printedAt >= 2_000) process.stderr.write(`${line}\n`);
    else return;
    printedAt = now;
  };
}
