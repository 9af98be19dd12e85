import { parseOptions } from "@faceline/models/parse-options";
import { batcherOptions, batcherUsage, changeAll, hasActive, readBatchers } from "../apply/all-batchers.ts";
import { isSameSettings } from "../apply/planned-change.ts";
import { type BatcherContext, batcherAddresses } from "./batcher-addresses.ts";

export const undoUsage = `npm run plan -- undo [options]

Restores the settings that running batchers were started with. A second undo changes nothing.

${batcherUsage}
`;

/** Puts back what the batchers were started with. Returns the exit code. */
export async function undo(args: string[], { stateFolder, print }: BatcherContext): Promise<number> {
  const { values } = parseOptions({ args, options });
  const batchers = await readBatchers(await batcherAddresses(values, stateFolder));
  const changed = batchers.filter(({ before }) => !isSameSettings(before.settings, before.started));
  for (const { before } of changed) {
    const { at, by } = before.changes[0]!;
    print(`${before.batcher} was changed last at ${at} by ${by}.`);
  }
  for (const line of await changeAll(batchers, ({ started }) => started)) print(line);
  if (!hasActive(batchers)) print("The active batcher is not among them: its settings are as they were.");
  if (changed.length === 0) print("These batchers have their settings from startup.");
  return 0;
}

/** `--all` was the name of this in 0.1.0, where undo alone took back the last change. */
const options = { ...batcherOptions, all: { type: "boolean" } } as const;
