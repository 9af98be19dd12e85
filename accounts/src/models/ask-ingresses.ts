import { randomUUID } from "node:crypto";
import { readMessage } from "@faceline/runtime/message";
import type { DurableRedisConfig } from "@faceline/runtime/redis";
import { subscribeDurable } from "@faceline/runtime/redis-subscription";
import { allowlistRepliesChannel } from "@faceline/contracts/wire/names";
import { AllowlistReply } from "./allowlist-store.ts";

/** An ingress follows in a few milliseconds. One that has not followed after this long is counted as away. */
const repliesWithinMs = 1_000;

/**
 * Sends a notice to every ingress, and returns the replies and how many ingresses the notice went to. It is
 * over when all have replied, or after a second. `send` gets the id to reply to and returns the number of
 * receivers; if it returns undefined, nothing was sent, and so does this function.
 */
export async function askIngresses(
  config: DurableRedisConfig,
  send: (replyTo: string) => Promise<number | undefined>,
): Promise<IngressReplies | undefined> {
  const replyTo = randomUUID();
  const replies = new Map<string, AllowlistReply>();
  let receivers = Infinity;
  const complete = Promise.withResolvers<void>();
  const endIfComplete = () => {
    if (replies.size >= receivers) complete.resolve();
  };
  await using _replies = await subscribeDurable(
    config,
    [allowlistRepliesChannel(replyTo)],
    (bytes) => {
      const message = readMessage(AllowlistReply, bytes);
      if (!message.ok) return;
      replies.set(message.value.ingress, message.value);
      endIfComplete();
    },
    () => {},
  );
  const sentTo = await send(replyTo);
  if (sentTo === undefined) return undefined;
  receivers = sentTo;
  endIfComplete();
  const timer = setTimeout(complete.resolve, repliesWithinMs);
  await complete.promise;
  clearTimeout(timer);
  return { receivers, replies: [...replies.values()] };
}

/** `receivers`: ingresses that the notice went to. */
export type IngressReplies = { receivers: number; replies: AllowlistReply[] };
