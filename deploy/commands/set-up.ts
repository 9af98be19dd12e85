import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { readConfig } from "@faceline/runtime/config";
import { ServerUnreachable } from "@faceline/runtime/connect-fault";
import { KafkaConfig } from "@faceline/runtime/kafka";
import { isConnectionFailure } from "@faceline/runtime/redis";
import { storeKey } from "../launcher/dev-key.ts";
import { type Command, runCommand } from "../launcher/run-command.ts";
import { LauncherConfig } from "../launcher/settings.ts";
import { createTopics, topicOptions } from "../launcher/topics.ts";

const usage = `usage: npm run set-up

Prepares servers that the launcher has not started, as in containers: creates the topics of POOL in Kafka, and
stores the key of FIRST_KEY_FILE, if that is set, in the durable Redis. What exists is left as it is, so it may
run before every start.`;

const keyPattern = /^fl_[A-Za-z0-9_-]{43}$/;
const retryEveryMs = 250;
/** Team of the key of FIRST_KEY_FILE. It has no limits. */
const firstKeyTeam = "first";

await runCommand(usage, setUp);

async function setUp({ print, stop }: Command): Promise<void> {
  const config = readConfig(LauncherConfig, process.env);
  const kafka = readConfig(KafkaConfig, process.env);
  const differences = await createTopics(kafka, topicOptions(config, config.POOL, stop));
  print(`the topics of pool ${config.POOL} exist`);
  for (const sentence of differences) print(`warning: ${sentence}`);

  if (config.FIRST_KEY_FILE === undefined) return;
  const key = readFileSync(config.FIRST_KEY_FILE, "utf8").trim();
  if (!keyPattern.test(key))
    throw new Error("FIRST_KEY_FILE: the file must hold a key, fl_ and 43 characters");
  await retry(config.READY_WITHIN_MS, stop, () => storeKey(process.env, key, firstKeyTeam));
  print(`team ${firstKeyTeam} has its first key`);
}

/** Redis may start at the same time as this command. */
async function retry(withinMs: number, stop: AbortSignal, work: () => Promise<void>): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      stop.throwIfAborted();
      const mayStart = error instanceof ServerUnreachable || isConnectionFailure(error);
      if (performance.now() > giveUpAt || !mayStart) throw error;
      await sleep(retryEveryMs, undefined, { signal: stop });
    }
  }
}
