import assert from "node:assert/strict";
import test from "node:test";
import { teamLimits } from "../keys/api-keys.ts";
import type { LimitOverrides } from "@faceline/contracts/stored/team";
import { teamsKey } from "@faceline/contracts/wire/names";
import { durable } from "../../testing/durable.ts";
import { commandActor, listAudit } from "../audit/audit-log.ts";
import { createKey, revokeTeamKey } from "../keys/team-keys.ts";
import { approve } from "./approval.ts";
import { changeLimits, findTeam, listTeams, replaceLimits } from "./teams.ts";

test("a team is listed with its limits, people and keys that work, also if it has keys alone", async (t) => {
  const { redis, team, email } = await durable(t);
  await approve(redis, { email: email("ada"), team, limits: { inFlightMax: 2 } }, commandActor);
  await approve(redis, { email: email("bob"), team }, commandActor);
  const { id } = await createKey(redis, { team, name: "old" }, commandActor);
  await revokeTeamKey(redis, { team, id }, commandActor);
  await createKey(redis, { team, name: "new" }, commandActor);
  const keysAlone = `${team}-k`;
  await createKey(redis, { team: keysAlone, name: "k" }, commandActor);
  // A call that broke off has stored nothing but the name.
  await redis.sadd(teamsKey, `${team}-n`);
  const own = (await listTeams(redis, Date.now())).filter((each) => each.team.startsWith(team));
  assert.deepEqual(own, [
    { team, limits: { inFlightMax: 2 }, people: 2, keys: 1 },
    { team: keysAlone, limits: {}, people: 0, keys: 1 },
  ]);
  for (const summary of own) assert.deepEqual(await findTeam(redis, summary.team, Date.now()), summary);
  assert.equal(await findTeam(redis, `${team}-none`, Date.now()), null);
});

test("limits are changed one at a time or all together, each with an audit line", async (t) => {
  const { redis, team } = await durable(t);
  await changeLimits(redis, { team, limits: { inFlightMax: 2 } }, commandActor);
  await changeLimits(redis, { team, limits: { requestsBurst: 3 } }, commandActor);
  assert.deepEqual(await teamLimits(redis, team), { inFlightMax: 2, requestsBurst: 3 });
  await replaceLimits(redis, { team, limits: { requestsPerSecond: 1 } }, commandActor);
  assert.deepEqual(await teamLimits(redis, team), { requestsPerSecond: 1 });
  const entries = await listAudit(redis, { count: 3 });
  assert.deepEqual(
    entries.map(({ action, on, details }) => [action, on, details.limits]),
    [
      ["limits_set", team, { before: { inFlightMax: 2, requestsBurst: 3 }, after: { requestsPerSecond: 1 } }],
      ["limits_set", team, { before: { inFlightMax: 2 }, after: { inFlightMax: 2, requestsBurst: 3 } }],
      ["limits_set", team, { before: {}, after: { inFlightMax: 2 } }],
    ],
  );
});

test("of two operators who set all limits, the second is refused if they have not seen the first's", async (t) => {
  const { redis, team } = await durable(t);
  const olga = { by: "olga@example.test", requestId: "r1" };
  await changeLimits(redis, { team, limits: { requestsPerSecond: 1 } }, olga);
  const seen = { requestsPerSecond: 1 };
  const set = (limits: LimitOverrides, known?: LimitOverrides) =>
    replaceLimits(redis, { team, limits, seen: known }, olga);
  const results = await Promise.all([set({ requestsBurst: 2 }, seen), set({ inFlightMax: 3 }, seen)]);
  assert.deepEqual(results, ["saved", "changed_meanwhile"]);
  assert.equal(await set({ inFlightMax: 3 }, seen), "changed_meanwhile");
  assert.deepEqual(await teamLimits(redis, team), { requestsBurst: 2 });
  // Without what was seen, what counts is what was stored when the call began.
  const unseen = await Promise.all([set({ requestsBurst: 4 }), set({ inFlightMax: 5 })]);
  assert.deepEqual(unseen, ["saved", "changed_meanwhile"]);
});
