import { isDeepStrictEqual } from "node:util";
import { listApiKeys, replaceTeamLimits, setTeamLimits } from "@faceline/contracts/runtime/api-keys";
import { readMessage } from "@faceline/contracts/runtime/message";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import { type LimitOverrides, Team } from "@faceline/contracts/stored/team";
import { teamKey } from "@faceline/contracts/wire/names";
import { type Actor, recordAudit } from "../audit/audit-log.ts";
import { listTeamKeys } from "../keys/team-key-index.ts";
import { isActive } from "../keys/team-keys.ts";
import { listPeople } from "./person.ts";

/**
 * Returns every team that has limits, people or keys, ordered by name. Reads the names of all keys of the
 * server: for operators.
 */
export async function listTeams(durable: RedisConnection, now: number): Promise<TeamSummary[]> {
  const [limits, people, keys] = await Promise.all([
    storedLimits(durable),
    listPeople(durable),
    listApiKeys(durable),
  ]);
  const names = [...limits.keys(), ...people.map(({ team }) => team), ...keys.map(({ team }) => team)];
  return [...new Set(names)]
    .toSorted((a, b) => a.localeCompare(b))
    .map((team) => ({
      team,
      limits: limits.get(team) ?? {},
      people: people.filter((person) => person.team === team).length,
      keys: keys.filter((key) => key.team === team && isActive(key, now)).length,
    }));
}

/** Returns a team that has limits, people or keys; null: there is none of this name. */
export async function findTeam(
  durable: RedisConnection,
  team: string,
  now: number,
): Promise<TeamSummary | null> {
  const [stored, people, keys] = await Promise.all([
    durable.getBuffer(teamKey(team)),
    listPeople(durable),
    listTeamKeys(durable, team),
  ]);
  const members = people.filter((person) => person.team === team);
  if (stored === null && members.length === 0 && keys.length === 0) return null;
  const active = keys.filter((key) => isActive(key, now));
  return { team, limits: readLimits(stored), people: members.length, keys: active.length };
}

/** Sets limits of a team and keeps the others. */
export async function changeLimits(
  durable: RedisConnection,
  { team, limits }: TeamLimitsChange,
  actor: Actor,
): Promise<void> {
  const change = await setLimits(durable, { team, limits });
  await recordAudit(durable, actor, "limits_set", team, { limits: change });
}

/** The same without an entry in the audit log. Returns the limits before and after it. */
export async function setLimits(
  durable: RedisConnection,
  { team, limits }: TeamLimitsChange,
): Promise<{ before: LimitOverrides; after: LimitOverrides }> {
  const before = await setTeamLimits(durable, team, limits);
  return { before, after: { ...before, ...limits } };
}

/**
 * Sets all limits of a team: the service's defaults apply to those that are absent. `changed_meanwhile`:
 * nothing was set, because the limits are not those that the operator has `seen`, or somebody set others at
 * the same time.
 */
export async function replaceLimits(
  durable: RedisConnection,
  { team, limits, seen }: TeamLimitsChange & { seen?: LimitOverrides | undefined },
  actor: Actor,
): Promise<"saved" | "changed_meanwhile"> {
  const stored = await durable.getBuffer(teamKey(team));
  const before = readLimits(stored);
  if (seen !== undefined && !isDeepStrictEqual(seen, before)) return "changed_meanwhile";
  if (!(await replaceTeamLimits(durable, team, limits, stored?.toString() ?? null)))
    return "changed_meanwhile";
  await recordAudit(durable, actor, "limits_set", team, { limits: { before, after: limits } });
  return "saved";
}

async function storedLimits(durable: RedisConnection): Promise<Map<string, LimitOverrides>> {
  const limits = new Map<string, LimitOverrides>();
  let cursor = "0";
  do {
    const [next, names] = await durable.scan(cursor, "MATCH", teamKey("*"), "COUNT", 500);
    cursor = next;
    if (names.length === 0) continue;
    const stored = await durable.mgetBuffer(names);
    for (const [i, name] of names.entries()) {
      limits.set(name.slice(teamKey("").length), readLimits(stored[i]!));
    }
  } while (cursor !== "0");
  return limits;
}

/** A record that does not parse is shown as one without limits: setting them replaces it. */
function readLimits(stored: Buffer | null): LimitOverrides {
  const parsed = readMessage(Team, stored);
  return parsed.ok ? parsed.value.limits : {};
}

type TeamLimitsChange = { team: string; limits: LimitOverrides };
/** `people`: members and operators. `keys`: those that work. */
export type TeamSummary = { team: string; limits: LimitOverrides; people: number; keys: number };
