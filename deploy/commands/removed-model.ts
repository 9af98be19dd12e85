import type { AllowlistReply } from "@faceline/accounts/models/allowlist-store";
import { listModels } from "@faceline/accounts/models/change-models";
import { modelRows } from "@faceline/accounts/models/model-rows";
import { connectKeysRedis } from "./keys-redis.ts";

/**
 * Returns a sentence where ingresses of a running Faceline have loaded a model; undefined where none has, or
 * no Faceline can be reached from here.
 */
export async function whoHasLoaded(name: string): Promise<string | undefined> {
  const connection = await connectKeysRedis().catch(() => undefined);
  if (connection === undefined) return undefined;
  await using durable = connection.redis;
  const { replies } = await listModels({ durable, config: connection.config });
  return loadedSentence(name, replies);
}

/** Returns the sentence for the replies of the ingresses; undefined where none has loaded the model. */
export function loadedSentence(name: string, replies: AllowlistReply[]): string | undefined {
  const row = modelRows(replies).find((each) => each.name === name);
  if (row === undefined) return undefined;
  const count = row.loadedBy === 1 ? "1 running ingress has" : `${row.loadedBy} running ingresses have`;
  return `${count} ${name} loaded, as may workers; they keep it until they restart.`;
}
