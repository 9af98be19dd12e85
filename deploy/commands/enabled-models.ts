import { commandActor } from "@faceline/accounts/audit/audit-log";
import type { IngressReplies } from "@faceline/accounts/models/ask-ingresses";
import { type ModelChange, modelActions } from "@faceline/accounts/models/change";
import { type ChangeResult, changeModels, listModels } from "@faceline/accounts/models/change-models";
import { modelRows } from "@faceline/accounts/models/model-rows";
import { connectKeysRedis } from "./keys-redis.ts";
import { textTable } from "./text-table.ts";

// `npm run models -- enabled | enable | disable | default`: which of the loaded models and detectors calls
// may use, in the durable Redis of a running Faceline. ./models.ts starts it.

const usage = "usage: npm run models -- enabled | enable NAME | disable NAME | default NAME";

process.exitCode = await main(process.argv.slice(2));

/** Returns the exit code: 0 done, 1 failed or refused, 2 the command line was wrong. */
async function main([verb, name, ...more]: string[]): Promise<number> {
  const action = modelActions.find((each) => each === verb);
  const isList = verb === "enabled" && name === undefined;
  const isChange = action !== undefined && name !== undefined && name !== "" && more.length === 0;
  if (!isList && !isChange) {
    console.error(usage);
    return 2;
  }
  try {
    const { redis: durable, config } = await connectKeysRedis();
    await using _durable = durable;
    if (!isChange) {
      console.log(listText(await listModels({ durable, config })));
      return 0;
    }
    const change = { action, name };
    const result = await changeModels({ durable, config }, change, commandActor);
    if (result.kind === "refused") {
      console.error(result.reason);
      return 1;
    }
    console.log(resultText(change, result));
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
}

function resultText(
  { action, name }: ModelChange,
  result: Exclude<ChangeResult, { kind: "refused" }>,
): string {
  if (result.kind === "unchanged") return result.reason;
  const done = { enable: "is enabled", disable: "is disabled", default: "is the default" }[action];
  const { followers, receivers } = result;
  if (followers === receivers) {
    return `${name} ${done}; ${countIngresses(followers)} ${followers === 1 ? "follows" : "follow"}.`;
  }
  const others = "The others follow when they reach the durable Redis again.";
  return `${name} ${done}; ${followers} of ${countIngresses(receivers)} follow. ${others}`;
}

function listText({ receivers, replies }: IngressReplies): string {
  const rows = [
    ["kind", "name", "state", "loaded by"],
    ...modelRows(replies).map(({ noun, name, states, loadedBy }) => [
      noun,
      name,
      states.join(", "),
      `${loadedBy} of ${countIngresses(replies.length)}`,
    ]),
  ];
  const silent = receivers - replies.length;
  return [textTable(rows), ...(silent > 0 ? [`${countIngresses(silent)} did not respond.`] : [])].join("\n");
}

function countIngresses(count: number): string {
  return count === 1 ? "1 ingress" : `${count} ingresses`;
}
