import { hostname, userInfo } from "node:os";
import type { AdjustablePoolSettings, PoolSettings } from "@faceline/runtime/operators/pool-settings";
import { changeText, loadedMaxOf } from "./planned-change.ts";
import { SettingsClient } from "./settings-client.ts";

/** Options of the commands that change batchers. */
export const batcherOptions = {
  url: { type: "string", multiple: true },
  "token-file": { type: "string" },
  by: { type: "string" },
} as const;

export const batcherUsage = `  --url URL            operators' port of a batcher; repeat it for each batcher of the pool  [those of npm start]
  --token-file FILE    the operators' token
  --by NAME            author, for the list of changes  [the user and this machine]`;

/**
 * Reads the settings of every batcher of a pool. Throws an Error with a sentence if one cannot be read, or if
 * they are not batchers of one pool.
 */
export async function readBatchers(options: BatcherOptions): Promise<Batcher[]> {
  const { url: urls = [], token, by = `${userInfo().username}@${hostname()}` } = options;
  if (token === undefined) throw new Error(noToken);
  const clients = urls.map((url) => new SettingsClient(url, { token, by }));
  const batchers = await Promise.all(
    clients.map(async (client) => ({ client, before: await client.read() })),
  );
  const pools = new Set(batchers.map(({ before }) => before.pool));
  if (pools.size > 1) throw new Error(`These are batchers of several pools: ${[...pools].join(", ")}.`);
  if (new Set(batchers.map(({ before }) => before.batcher)).size < batchers.length) {
    throw new Error("Two of the addresses lead to the same batcher.");
  }
  return batchers;
}

/**
 * Changes all of them or none: if one refuses, those before it get back what they had. Returns what to print.
 */
export async function changeAll(
  batchers: readonly Batcher[],
  wanted: (before: PoolSettings) => AdjustablePoolSettings,
): Promise<string[]> {
  const lines: string[] = [];
  const changed: { client: SettingsClient; before: PoolSettings; after: PoolSettings }[] = [];
  for (const { client, before } of batchers) {
    try {
      const after = await client.change(before.revision, wanted(before));
      changed.push({ client, before, after });
      const words = changeText(before.settings, after.settings, loadedMaxOf(before));
      lines.push(`${before.batcher} (${before.role}): ${words}`);
    } catch (error) {
      const left: string[] = [];
      for (const each of changed) {
        await each.client
          .change(each.after.revision, each.before.settings)
          .catch(() => left.push(each.client.url));
      }
      const rest = left.length === 0 ? "Nothing was changed." : `${left.join(", ")} remained changed.`;
      throw new Error(`${(error as Error).message}\n${rest}`, { cause: error });
    }
  }
  return [...lines, ...takeoverLines(batchers)];
}

const noToken =
  "--token-file is missing: the operators' token. Batchers that were started without one cannot be changed.";

/** Whether a change reaches calls: the active batcher must be among them. */
export const hasActive = (batchers: readonly Batcher[]): boolean =>
  batchers.some(({ before }) => before.role === "active");

/** A takeover goes to a batcher that was not named, with the settings of its start. */
function takeoverLines(batchers: readonly Batcher[]): string[] {
  if (batchers.some(({ before }) => before.role === "standby")) return [];
  return [
    "No standby is among them. If the pool has one, name it too: after a takeover its own settings are in force.",
  ];
}

type Batcher = { client: SettingsClient; before: PoolSettings };

export type BatcherOptions = {
  url?: string[] | undefined;
  token: string | undefined;
  by?: string | undefined;
};
