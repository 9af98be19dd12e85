import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { findApiKey } from "./api-keys.ts";
import { durable } from "../../testing/durable.ts";
import { listAudit } from "../audit/audit-log.ts";
import { approve } from "../people/approval.ts";
import { forget } from "../people/forget.ts";
import { listTeamKeys } from "./team-index.ts";
import {
  createTeamKey,
  isActive,
  renameTeamKey,
  revokeTeamKey,
  rotateTeamKey,
  teamKeysMax,
} from "./team-keys.ts";

const ada = { by: "ada@example.test", requestId: "req-1" };

test("a team creates, names and revokes its keys; each act has an audit line with the id alone", async (t) => {
  const { redis, team } = await durable(t);
  const created = await createTeamKey(redis, { team, name: "laptop" }, ada);
  assert.ok(created.kind === "created");
  const { id } = created;
  assert.equal(await renameTeamKey(redis, { team, id, name: "door" }, ada), true);
  assert.deepEqual(
    (await listTeamKeys(redis, team)).map((key) => [key.id, key.name, isActive(key, Date.now())]),
    [[id, "door", true]],
  );
  assert.equal(await revokeTeamKey(redis, { team, id }, ada), true);
  const [key] = await listTeamKeys(redis, team);
  assert.equal(isActive(key!, Date.now()), false);
  const entries = (await listAudit(redis, { count: 3 })).map(({ by, action, on }) => [by, action, on]);
  assert.deepEqual(entries, [
    [ada.by, "key_revoked", id],
    [ada.by, "key_renamed", id],
    [ada.by, "key_created", id],
  ]);
});

test("a rotated key works beside the new one until it expires, and is not rotated again", async (t) => {
  const { redis, team } = await durable(t);
  const first = await createTeamKey(redis, { team, name: "laptop" }, ada);
  assert.ok(first.kind === "created");
  const rotatedAt = Date.now();
  const second = await rotateTeamKey(redis, { team, id: first.id, overlapHours: 2 }, ada);
  assert.ok(second.kind === "created");
  assert.notEqual(second.key, first.key);
  const { key } = (await findApiKey(redis, digestOf(first.key)))!;
  assert.ok(key.expiresAt! >= rotatedAt + 7_200_000 && key.expiresAt! <= Date.now() + 7_200_000);
  assert.equal((await findApiKey(redis, digestOf(second.key)))?.key.name, "laptop");
  const [entry] = await listAudit(redis, { count: 1 });
  assert.deepEqual([entry!.on, entry!.details], [first.id, { team, newKey: second.id }]);

  const again = await rotateTeamKey(redis, { team, id: first.id, overlapHours: 1 }, ada);
  assert.deepEqual(again, { kind: "rotated" });
  assert.equal((await findApiKey(redis, digestOf(first.key)))?.key.expiresAt, key.expiresAt);
  assert.equal((await listTeamKeys(redis, team)).length, 2);
  await revokeTeamKey(redis, { team, id: second.id }, ada);
  const revoked = await rotateTeamKey(redis, { team, id: second.id, overlapHours: 1 }, ada);
  assert.deepEqual(revoked, { kind: "none" });
});

test("a rotation among renames loses neither its end nor the newest name, and two of them make one key", async (t) => {
  const { redis, team } = await durable(t);
  const first = await createTeamKey(redis, { team, name: "laptop" }, ada);
  assert.ok(first.kind === "created");
  const { id } = first;
  const rename = (_: unknown, i: number) => renameTeamKey(redis, { team, id, name: `name ${i}` }, ada);
  const rotate = () => rotateTeamKey(redis, { team, id, overlapHours: 2 }, ada);
  const before = Array.from({ length: 12 }, rename);
  const rotations = [rotate(), rotate()];
  await Promise.all([...before, ...rotations, ...Array.from({ length: 12 }, rename)]);
  const kinds = (await Promise.all(rotations)).map(({ kind }) => kind);
  assert.deepEqual(kinds.toSorted(), ["created", "rotated"]);
  const { key } = (await findApiKey(redis, digestOf(first.key)))!;
  assert.ok(key.expiresAt !== undefined && key.name === "name 11", JSON.stringify(key));
  assert.equal((await listTeamKeys(redis, team)).length, 2);
});

test("keys that are created at the same time do not exceed the number of a team's keys", async (t) => {
  const { redis, team } = await durable(t);
  const create = () => createTeamKey(redis, { team, name: "laptop" }, ada);
  const [old] = [await create()];
  assert.ok(old.kind === "created");
  const rotate = () => rotateTeamKey(redis, { team, id: old.id, overlapHours: 1 }, ada);
  await Promise.all([...Array.from({ length: teamKeysMax + 4 }, create), rotate(), rotate()]);
  const active = (await listTeamKeys(redis, team)).filter((key) => isActive(key, Date.now()));
  assert.equal(active.length, teamKeysMax);
});

test("who was forgotten while they made or rotated a key leaves none behind", async (t) => {
  const { redis, team, email } = await durable(t);
  const eve = email("eve");
  await approve(redis, { email: eve, team }, ada);
  const first = await createTeamKey(redis, { team, name: "laptop", member: eve }, ada);
  assert.ok(first.kind === "created");
  await forget(redis, eve, ada);
  const late = await createTeamKey(redis, { team, name: "late", member: eve }, ada);
  const rotated = await rotateTeamKey(redis, { team, id: first.id, overlapHours: 9, member: eve }, ada);
  assert.deepEqual([late.kind, rotated.kind], ["none", "none"]);
  assert.equal((await listTeamKeys(redis, team)).length, 1);
});

test("the key of another team is unknown, whatever is tried with its id", async (t) => {
  const { redis, team } = await durable(t);
  const created = await createTeamKey(redis, { team, name: "laptop" }, ada);
  assert.ok(created.kind === "created");
  const theirs = { team: `${team}-other`, id: created.id };
  assert.equal(await renameTeamKey(redis, { ...theirs, name: "mine" }, ada), false);
  assert.equal(await revokeTeamKey(redis, theirs, ada), false);
  assert.deepEqual(await rotateTeamKey(redis, { ...theirs, overlapHours: 1 }, ada), { kind: "none" });
  const record = await findApiKey(redis, digestOf(created.key));
  assert.deepEqual([record?.key.name, record?.key.disabled], ["laptop", false]);
});

test("a team has a limited number of keys that work; a revoked one makes room", async (t) => {
  const { redis, team } = await durable(t);
  const ids: string[] = [];
  for (let i = 0; i < teamKeysMax; i++) {
    const created = await createTeamKey(redis, { team, name: `key ${i}` }, ada);
    if (created.kind === "created") ids.push(created.id);
  }
  assert.equal(ids.length, teamKeysMax);
  assert.deepEqual(await createTeamKey(redis, { team, name: "more" }, ada), { kind: "too_many" });
  assert.deepEqual(await rotateTeamKey(redis, { team, id: ids[0]!, overlapHours: 1 }, ada), {
    kind: "too_many",
  });
  await revokeTeamKey(redis, { team, id: ids[0]! }, ada);
  assert.equal((await createTeamKey(redis, { team, name: "more" }, ada)).kind, "created");
});

const digestOf = (key: string): string => createHash("sha256").update(key).digest("hex");
