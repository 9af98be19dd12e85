import type { BatcherOptions } from "../apply/all-batchers.ts";
import type { CommandContext } from "./context.ts";
import { tokenOf } from "./inputs.ts";
import { findRunning } from "./running.ts";

/** Returns the batchers that options name, or those of the service that `npm start` runs. */
export async function batcherAddresses(
  { url, by, "token-file": tokenFile }: BatcherArguments,
  stateFolder: string,
): Promise<BatcherOptions> {
  const token = tokenOf({ "token-file": tokenFile });
  if (url !== undefined) return { url, by, token };
  const running = await findRunning(stateFolder);
  return { url: running.batchers, by, token: token ?? running.token };
}

export type BatcherContext = Pick<CommandContext, "stateFolder" | "print">;

type BatcherArguments = {
  url?: string[] | undefined;
  by?: string | undefined;
  "token-file"?: string | undefined;
};
