import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

/**
 * Asks one question, and returns the line that was typed: an empty one if the input ends first. Rejects with
 * the reason of `stop`.
 */
export async function askAtTerminal(
  question: string,
  { input, output, stop }: { input: Readable; output: Writable; stop: AbortController },
): Promise<string> {
  const lines = createInterface({ input, output });
  // While it reads, Ctrl+C is a key and not a signal.
  lines.once("SIGINT", () => stop.abort(new Error("The pull was stopped.")));
  const done = new AbortController();
  try {
    const signal = AbortSignal.any([stop.signal, done.signal]);
    const answer = new Promise<string>((resolve) => lines.question(question, { signal }, resolve));
    const end = once(lines, "close", { signal }).then(() => "");
    return await Promise.race([answer, end]);
  } catch (error) {
    stop.signal.throwIfAborted();
    throw error;
  } finally {
    done.abort();
    lines.close();
  }
}
