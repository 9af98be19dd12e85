import type { Model } from "../catalogue-entry.ts";
import { type AcceptanceFlags, acceptTerms } from "../licence/acceptance.ts";
import { askAtTerminal } from "../licence/terminal.ts";
import { megabytes } from "../megabytes.ts";
import { pullModels, tarballSourceOf } from "./pull.ts";

/**
 * `npm run models -- pull NAME…`: shows the terms of the models, has them accepted, and fetches the weights.
 * Returns the models. Throws one sentence. main.test.ts covers it.
 */
export async function runPull(
  folder: string,
  models: readonly Model[],
  { names, flags }: { names: readonly string[]; flags: AcceptanceFlags },
): Promise<readonly Model[]> {
  const unknown = names.filter((name) => !models.some((model) => model.name === name));
  if (unknown.length > 0)
    throw new Error(`the catalogue has no ${unknown.join(", ")}; "npm run models -- list" shows its models`);
  const wanted = models.filter(({ name }) => names.includes(name));
  const terms = wanted.map((model) => ({ terms: model, bytes: tarballSourceOf(model).bytes }));
  const stop = new AbortController();
  const onSignal = (): void => stop.abort(new Error("The pull was stopped."));
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);

  const { stdin: input, stdout: output } = process;
  const ask =
    input.isTTY && output.isTTY
      ? (question: string) => askAtTerminal(question, { input, output, stop })
      : undefined;
  await acceptTerms(folder, terms, { flags, ask, print: console.log, now: new Date() });
  await pullModels(folder, wanted, { print: console.log, progress: progressLine(), stop: stop.signal });
  return wanted;
}

/** Prints how much of a download has come, at most every two seconds where nobody watches it. */
function progressLine(): (bytes: number, of: number) => void {
  let printedAt = performance.now();
  return (bytes, of) => {
    const line = `  ${megabytes(bytes)} of ${megabytes(of)}`;
    if (process.stderr.isTTY) return void process.stderr.write(`\r${line}${bytes === of ? "\n" : ""}`);
    if (performance.now() - printedAt < 2_000) return;
    printedAt = performance.now();
    process.stderr.write(`${line}\n`);
  };
}
