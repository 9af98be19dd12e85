import { readMessage } from "@faceline/runtime/message";
import { type RedisConnection, script } from "@faceline/runtime/redis";
import { allowlistChannel, allowlistKey } from "@faceline/contracts/wire/names";
import * as z from "zod";
import { Allowlist, ModelSelection } from "./allowlist.ts";

/**
 * Notice on the allowlist's channel: the record may have changed. Every ingress reads it, and then publishes
 * an AllowlistReply on the replies channel of `replyTo`.
 */
export const AllowlistNotice = z.object({ replyTo: z.uuid() });
type AllowlistNotice = z.infer<typeof AllowlistNotice>;

/** Reply of an ingress to a notice. `version`: that of the record which it follows, 0 for none. */
export const AllowlistReply = z.object({
  ingress: z.string().min(1).max(64),
  version: z.int().min(0),
  loaded: ModelSelection,
  enabled: ModelSelection,
});
export type AllowlistReply = z.infer<typeof AllowlistReply>;

/**
 * Returns the record, undefined if there is none. `json` is what is stored, for `replaceAllowlist`. Throws if
 * it cannot be read or does not parse.
 */
export async function readAllowlist(durable: RedisConnection): Promise<StoredAllowlist> {
  const json = await durable.getBuffer(allowlistKey);
  if (json === null) return { json: "", allowlist: undefined };
  const parsed = readMessage(Allowlist, json);
  if (!parsed.ok) throw new Error(`${unreadable} (${parsed.reason})`);
  return { json: json.toString("utf8"), allowlist: parsed.value };
}

const unreadable =
  `The record ${allowlistKey} in the durable Redis does not parse. Restore it, or remove it with DEL ` +
  `${allowlistKey}: then the settings of each ingress decide`;

/**
 * Replaces the record and sends the notice, in one step, so that no change goes without its notice. Returns
 * how many ingresses get the notice, or undefined if the record is no longer the one that was read.
 */
export async function replaceAllowlist(
  durable: RedisConnection,
  read: StoredAllowlist,
  allowlist: Allowlist,
  notice: AllowlistNotice,
): Promise<number | undefined> {
  const replace = script(durable, replaceScript);
  const receivers = await replace(
    allowlistKey,
    read.json,
    JSON.stringify(allowlist),
    allowlistChannel,
    JSON.stringify(notice),
  );
  return receivers === -1 ? undefined : Number(receivers);
}

const replaceScript = {
  name: "replaceAllowlist",
  numberOfKeys: 1,
  lua: `
    if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return -1 end
    redis.call('SET', KEYS[1], ARGV[2])
    return redis.call('PUBLISH', ARGV[3], ARGV[4])
  `,
};

type StoredAllowlist = { json: string; allowlist: Allowlist | undefined };
