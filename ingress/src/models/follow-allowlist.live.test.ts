// Covers the allowlist in the durable Redis: this package's side and that of accounts.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { afterEach, type TestContext, test } from "node:test";
import { commandActor, listAudit } from "@faceline/accounts/audit/audit-log";
import { readAllowlist } from "@faceline/accounts/models/allowlist-store";
import { changeModels as changeModelsAs, listModels } from "@faceline/accounts/models/change-models";
import { openLog } from "@faceline/runtime/log";
import { connectRedis } from "@faceline/runtime/redis";
import { allowlistKey } from "@faceline/contracts/wire/names";
import { readCatalogue } from "@faceline/models/catalogue";
import { waitUntil } from "../../testing/server.ts";
import { followAllowlist } from "./follow-allowlist.ts";
import { LoadedModels } from "./loaded-models.ts";

const url = process.env["REDIS_DURABLE_URL"] ?? "";
const config = { REDIS_DURABLE_URL: url, REDIS_COMMAND_MS: 1_000 };
const catalogue = await readCatalogue();
const changeModels = (
  parts: Parameters<typeof changeModelsAs>[0],
  change: Parameters<typeof changeModelsAs>[1],
) => changeModelsAs(parts, change, commandActor);

afterEach(async () => {
  await using redis = await connectRedis("REDIS_DURABLE_URL", url, 1_000);
  await redis.del(allowlistKey);
});

test("a change is done when every ingress follows it, within the second that it waits for them", async (t) => {
  const parts = await operator(t);
  const ingresses = [await ingress(t), await ingress(t)];
  assert.deepEqual(await changeModels(parts, { action: "disable", name: "tiny" }), {
    kind: "changed",
    followers: 2,
    receivers: 2,
  });
  for (const { detectors } of ingresses) assert.deepEqual(detectors(), { names: ["ssd"], default: "ssd" });
  await changeModels(parts, { action: "enable", name: "tiny" });
  await changeModels(parts, { action: "default", name: "tiny" });
  await changeModels(parts, { action: "disable", name: "ssd" });
  for (const { detectors } of ingresses) assert.deepEqual(detectors(), { names: ["tiny"], default: "tiny" });
  const { receivers, replies } = await listModels(parts);
  assert.deepEqual([receivers, replies.map(({ version }) => version)], [2, [4, 4]]);
});

test("who changed what stands in the audit log; what was refused does not", async (t) => {
  const parts = await operator(t);
  await ingress(t);
  const actor = { by: "olga@example.test", requestId: "r1" };
  await changeModelsAs(parts, { action: "disable", name: "tiny" }, actor);
  await changeModelsAs(parts, { action: "disable", name: "ssd" }, actor);
  await changeModels(parts, { action: "enable", name: "tiny" });
  await changeModels(parts, { action: "default", name: "tiny" });
  const entries = await listAudit(parts.durable, { count: 3 });
  assert.deepEqual(
    entries.map(({ by, action, on, requestId, details }) => [by, action, on, requestId, details]),
    [
      ["command", "model_made_default", "tiny", null, { noun: "detector", formerDefaults: ["ssd"] }],
      ["command", "model_enabled", "tiny", null, { noun: "detector" }],
      ["olga@example.test", "model_disabled", "tiny", "r1", { noun: "detector" }],
    ],
  );
});

test("an ingress that starts reads the record before it serves", async (t) => {
  const parts = await operator(t);
  await ingress(t);
  await changeModels(parts, { action: "disable", name: "tiny" });
  assert.deepEqual((await ingress(t)).detectors().names, ["ssd"]);
});

test("an ingress without its detectors of the record goes on with its own, and says what it ignores", async (t) => {
  const parts = await operator(t);
  await ingress(t);
  await changeModels(parts, { action: "default", name: "tiny" });
  await changeModels(parts, { action: "disable", name: "ssd" });
  const { detectors, lines } = await ingress(t, { DETECTORS: ["ssd"], DETECTOR_DEFAULT: "ssd" });
  assert.deepEqual(detectors(), { names: ["ssd"], default: "ssd" });
  const reasons = lines.filter(({ level }) => level === "warn").map(({ facts }) => facts["reason"]);
  assert.deepEqual(reasons, [
    "every detector that is loaded here is disabled: ssd stays enabled",
    "the default detector tiny is not enabled here: ssd is the default",
  ]);
});

test("after its connection broke an ingress reads the record anew, because notices may be lost", async (t) => {
  const { durable } = await operator(t);
  const { detectors } = await ingress(t);
  // Stored without a notice.
  await durable.set(allowlistKey, JSON.stringify(withoutTiny));
  await durable.call("CLIENT", "KILL", "TYPE", "pubsub");
  await waitUntil("the record is read", async () => detectors().names.length === 1);
});

test("a record that cannot be read changes nothing, is logged once, and is followed when it is corrected", async (t) => {
  const parts = await operator(t);
  const { detectors, lines } = await ingress(t);
  await changeModels(parts, { action: "disable", name: "tiny" });
  await parts.durable.set(allowlistKey, "{}");
  await parts.durable.call("CLIENT", "KILL", "TYPE", "pubsub");
  const warnings = () => lines.filter(({ level }) => level === "warn");
  await waitUntil("it is logged", async () => warnings().length > 0);
  assert.match(String(warnings()[0]!.facts["reason"]), /^The record allowlist .*DEL allowlist/);
  assert.deepEqual(detectors().names, ["ssd"]);
  await assert.rejects(changeModels(parts, { action: "enable", name: "tiny" }), /does not parse/);
  await parts.durable.del(allowlistKey);
  await waitUntil("the settings decide again", async () => detectors().names.length === 2);
  assert.equal(warnings().length, 1);
});

test("of two operators at the same time neither loses a change", async (t) => {
  const parts = await operator(t);
  await ingress(t);
  const results = await Promise.all([
    changeModels(parts, { action: "disable", name: "tiny" }),
    changeModels(await operator(t), { action: "default", name: "ssd" }),
  ]);
  assert.deepEqual(
    results.map(({ kind }) => kind),
    ["changed", "changed"],
  );
  const { allowlist } = await readAllowlist(parts.durable);
  assert.deepEqual(allowlist, {
    version: 2,
    models: { disabled: [] },
    detectors: { disabled: ["tiny"], default: "ssd" },
  });
});

test("without a running ingress nothing can be changed, and the command says why", async (t) => {
  const parts = await operator(t);
  await assert.rejects(listModels(parts), /^Error: No ingress answers.*Start Faceline/);
  await assert.rejects(changeModels(parts, { action: "disable", name: "tiny" }), /No ingress answers/);
  assert.equal((await readAllowlist(parts.durable)).allowlist, undefined);
});

const withoutTiny = { version: 1, models: { disabled: [] }, detectors: { disabled: ["tiny"] } };

async function operator(t: TestContext) {
  const durable = await connectRedis("REDIS_DURABLE_URL", url, 1_000);
  t.after(() => durable[Symbol.asyncDispose]());
  return { durable, config };
}

/** Follows the allowlist as an ingress with these settings does, on connections of its own. */
async function ingress(t: TestContext, settings = {}) {
  const { durable } = await operator(t);
  const models = new LoadedModels(catalogue, {
    MODELS: ["Dlib"],
    MODEL_DEFAULT: "Dlib",
    DETECTORS: ["ssd", "tiny"],
    DETECTOR_DEFAULT: "ssd",
    ...settings,
  });
  const lines: { level: string; facts: Record<string, unknown> }[] = [];
  const log = openLog("test", "silent");
  for (const level of ["info", "warn", "error"] as const) {
    log[level] = (facts: unknown) => lines.push({ level, facts: facts as Record<string, unknown> });
  }
  const following = await followAllowlist({ durable, config, ingress: randomUUID(), models, log });
  t.after(() => following[Symbol.asyncDispose]());
  return { models, lines, detectors: () => models.enabled.selection.detectors };
}
