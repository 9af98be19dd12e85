import { parseArgs } from "node:util";
import { batcherOptions, batcherUsage, changeAll, readBatchers } from "../apply/all-batchers.ts";
import type { CommandContext } from "./context.ts";

export const undoUsage = `npm run plan -- undo [options]

Puts back the settings that running batchers had before their last change. A second undo takes back the first.

${batcherUsage}
  --all                puts back what the batchers were started with
`;

/** Takes back the last change. Returns the exit code, 2 where there was none. */
export async function undo(args: string[], { print }: Pick<CommandContext, "print">): Promise<number> {
  const { values } = parseArgs({ args, options });
  const batchers = await readBatchers(values);
  const changed = batchers.filter(({ before }) => before.changes.length > 0);
  if (changed.length === 0) {
    print("No batcher was changed since its start.");
    return 2;
  }
  for (const { before } of changed) {
    const { at, by } = before.changes[0]!;
    print(`${before.batcher} was changed last at ${at} by ${by}.`);
  }
  const lines = await changeAll(changed, ({ changes, started }) => (values.all ? started : changes[0]!.from));
  for (const line of lines) print(line);
  return 0;
}

const options = { ...batcherOptions, all: { type: "boolean", default: false } } as const;
