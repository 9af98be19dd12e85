import { setTimeout as sleep } from "node:timers/promises";
import type { RedisConnection } from "@faceline/runtime/redis";

const pollEveryMs = 100;
const pollsMax = 600;

/**
 * Lets the server write its append-only file again, without what was deleted, and waits for the end.
 *
 * - `rewritten`: the file holds what the database holds.
 * - `none`: the server has no such file.
 * - `refused`: the server does not let this user do it, or it failed, or took more than a minute.
 */
export async function rewriteAppendOnlyFile(durable: RedisConnection): Promise<RewriteResult> {
  let requested = false;
  for (let polls = 0; polls < pollsMax; polls++) {
    const state = await persistence(durable);
    if (state["aof_enabled"] !== "1") return "none";
    const running = state["aof_rewrite_in_progress"] === "1" || state["aof_rewrite_scheduled"] === "1";
    if (!running && requested) return state["aof_last_bgrewrite_status"] === "ok" ? "rewritten" : "refused";
    // A rewrite that was running before may have begun before the deletion.
    if (!running) {
      const accepted = await durable.bgrewriteaof().catch(() => undefined);
      if (accepted === undefined) return "refused";
      requested = true;
    }
    await sleep(pollEveryMs);
  }
  return "refused";
}

async function persistence(durable: RedisConnection): Promise<Record<string, string>> {
  const info = await durable.info("persistence");
  return Object.fromEntries(info.split("\r\n").map((line) => line.split(":", 2) as [string, string]));
}

type RewriteResult = "rewritten" | "none" | "refused";
