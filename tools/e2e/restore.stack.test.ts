// Covers docs/operating/backup.md, with its commands.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { Problem } from "@faceline/contracts/http/problem";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { apiClient } from "./stack/api-client.ts";
import { startDurableServer } from "./stack/redis-servers.ts";
import { startStack } from "./stack/stack.ts";

const vectors = { model_name: "SFace", img1: Array(128).fill(0.1), img2: Array(128).fill(0.1) };
const run = promisify(execFile);

test("keys of a back-up work after the durable Redis was lost and restored", async (t) => {
  const durable = await startDurableServer(t);
  const { address } = await startStack(t, {
    settings: durable.access("keys"),
    ownSettings: { ingress: durable.access("ingress") },
  });
  const environment = { ...process.env, ...durable.access("keys") };
  const keys = async (...args: string[]) => {
    const main = join(repository, "deploy/commands/keys.ts");
    return (await run(process.execPath, [main, ...args], { env: environment })).stdout;
  };
  const newKey = async () => (await keys("create", "--team", team)).split("\n")[0]!;
  /** Returns what a call with this key gets: "ok", or the code of the error. */
  const responseTo = async (key: string): Promise<string> => {
    const { status, body } = await apiClient(address, key)("/verify", vectors);
    return status === 200 ? "ok" : Problem.parse(body).error;
  };
  const team = `team-${randomUUID()}`;
  const [used, kept, revoked] = [await newKey(), await newKey(), await newKey()];
  const backup = mkdtempSync(join(process.env["FACELINE_TEST_RUN"]!, "backup-"));
  const [save, restore] = guideCommands();
  const shell = { env: { ...environment, DATA: durable.folder, BACKUP: backup } };

  // While the server runs and writes.
  await run("sh", ["-ec", save!], shell);
  const late = await newKey();
  await keys("revoke", "--prefix", revoked);
  assert.deepEqual([await responseTo(late), await responseTo(revoked)], ["ok", "key_disabled"]);

  await durable.kill();
  for (const file of stored(durable.folder)) rmSync(join(durable.folder, file), { recursive: true });
  await durable.startAgain();
  await waitUntil("the server is empty", async () => (await responseTo(used)) === "invalid_api_key");

  await durable.kill();
  for (const file of stored(durable.folder)) rmSync(join(durable.folder, file), { recursive: true });
  await run("sh", ["-ec", restore!], shell);
  await durable.startAgain();
  await waitUntil("a key of the back-up works", async () => (await responseTo(kept)) === "ok");
  assert.equal(await responseTo(used), "ok");
  // As the guide says: what came after the back-up is lost, revocations too.
  assert.deepEqual([await responseTo(late), await responseTo(revoked)], ["invalid_api_key", "ok"]);
});

/** Files that the server has stored, beside its configuration. */
const stored = (folder: string): string[] =>
  readdirSync(folder).filter((file) => file.startsWith("appendonly"));

/** The two commands of the section, as operators copy them. */
function guideCommands(): string[] {
  const guide = readFileSync(join(repository, "docs/operating/backup.md"), "utf8");
  return [...guide.matchAll(/^```\n([^`]*)^```$/gm)].slice(0, 2).map(([, commands]) => commands!);
}
