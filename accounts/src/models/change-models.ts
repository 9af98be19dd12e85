import type { DurableRedisConfig, RedisConnection } from "@faceline/runtime/redis";
import { allowlistChannel } from "@faceline/contracts/wire/names";
import { type Actor, type AuditAction, type AuditDetails, recordAudit } from "../audit/audit-log.ts";
import { readAllowlist, replaceAllowlist } from "./allowlist-store.ts";
import { askIngresses, type IngressReplies } from "./ask-ingresses.ts";
import { decideChange, type ModelChange } from "./change.ts";
import { modelRows } from "./model-rows.ts";

/** How often a change is decided anew because another operator was quicker. */
const triesMax = 5;

/**
 * Returns what every running ingress has loaded and enabled. Throws a sentence if none replies, if the
 * durable Redis does not, or if its record does not parse.
 */
export async function listModels({ durable, config }: AllowlistParts): Promise<IngressReplies> {
  await readAllowlist(durable);
  const replied = await askIngresses(config, (replyTo) =>
    durable.publish(allowlistChannel, JSON.stringify({ replyTo })),
  );
  if (replied === undefined || replied.replies.length === 0) throw new Error(noIngress);
  return replied;
}

const noIngress =
  "No ingress answers, so it is not known which models are loaded. Start Faceline, or look into the log of " +
  "the ingress.";

/**
 * Makes a change for all ingresses, waits for their replies, and adds an entry to the audit log. Throws as
 * `listModels` does.
 */
export async function changeModels(
  parts: AllowlistParts,
  change: ModelChange,
  actor: Actor,
): Promise<ChangeResult> {
  for (let tries = 0; tries < triesMax; tries++) {
    const read = await readAllowlist(parts.durable);
    const { replies } = await listModels(parts);
    const decision = decideChange(
      read.allowlist,
      replies.map(({ loaded }) => loaded),
      change,
    );
    if (decision.kind !== "change") return decision;
    const { version } = decision.allowlist;
    const followed = await askIngresses(parts.config, (replyTo) =>
      replaceAllowlist(parts.durable, read, decision.allowlist, { replyTo }),
    );
    if (followed === undefined) continue;
    await recordAudit(
      parts.durable,
      actor,
      auditActions[change.action],
      change.name,
      detailsOf(change, replies),
    );
    const followers = followed.replies.filter((reply) => reply.version >= version).length;
    return { kind: "changed", followers, receivers: followed.receivers };
  }
  throw new Error("Others change the models at the same time: look at the list, and try again.");
}

function detailsOf({ action, name }: ModelChange, replies: IngressReplies["replies"]): AuditDetails {
  const rows = modelRows(replies);
  const { noun } = rows.find((row) => row.name === name)!;
  const defaults = rows.filter((row) => row.noun === noun && row.states.includes("default"));
  return { noun, ...(action === "default" ? { formerDefaults: defaults.map((row) => row.name) } : {}) };
}

const auditActions = {
  enable: "model_enabled",
  disable: "model_disabled",
  default: "model_made_default",
} as const satisfies Record<ModelChange["action"], AuditAction>;

type AllowlistParts = { durable: RedisConnection; config: DurableRedisConfig };

/** `followers`: ingresses that follow the change, of the `receivers` of its notice. `reason`: a sentence. */
export type ChangeResult =
  | { kind: "changed"; followers: number; receivers: number }
  | { kind: "unchanged"; reason: string }
  | { kind: "refused"; reason: string };
