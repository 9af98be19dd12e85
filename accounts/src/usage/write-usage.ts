import type { RedisConnection } from "@faceline/runtime/redis";
import { recentErrorsKey, usageByTeamKey, usageKey, usageWrittenKey } from "@faceline/contracts/wire/names";
import { outcomeKind } from "./call-outcome.ts";
import { dayMs, errorsKeptDays, usageKeptDays } from "./days.ts";
import type { UsageBatch, UsageCounter } from "./pending-usage.ts";
import { recentErrorsMax } from "./recent-error.ts";

/** Calls of all callers together are counted under this name, too. */
export const allTeams = "~all";

/**
 * Adds a batch to what is stored, in one command that the server runs as a whole. The same `number` of the
 * same ingress counts once, so a write whose response was lost may be repeated for up to a day. Numbers of an
 * ingress go up. Rejects when the command fails: it may have been run.
 */
export async function writeUsage(
  durable: RedisConnection,
  { ingress, number }: UsageWrite,
  { counters }: UsageBatch,
): Promise<void> {
  const hashes = increments(counters);
  const lists = newErrors(counters);
  const keys = [usageWrittenKey(ingress), ...hashes.keys(), ...lists.keys()];
  const hashValues = [...hashes.values()].flatMap((fields) => [fields.size, ...[...fields].flat()]);
  const listValues = [...lists.values()].flatMap((entries) => [entries.length, ...entries]);
  await durable.eval(
    addOnce,
    keys.length,
    ...keys,
    number,
    repeatableSeconds,
    hashes.size,
    usageKeptDays * daySeconds,
    errorsKeptDays * daySeconds,
    recentErrorsMax,
    ...hashValues,
    ...listValues,
  );
}

/**
 * The number of the write is stored first. If a later command fails, the rest of the batch is lost; it is
 * never counted twice.
 */
const addOnce = `
local number, hashes = tonumber(ARGV[1]), tonumber(ARGV[3])
if number <= tonumber(redis.call("HGET", KEYS[1], "number") or "0") then return 0 end
redis.call("HSET", KEYS[1], "number", ARGV[1])
redis.call("EXPIRE", KEYS[1], ARGV[2])
local position = 7
for key = 2, #KEYS do
  local count = tonumber(ARGV[position])
  position = position + 1
  for _ = 1, count do
    if key <= 1 + hashes then
      redis.call("HINCRBY", KEYS[key], ARGV[position], ARGV[position + 1])
      position = position + 2
    else
      redis.call("LPUSH", KEYS[key], ARGV[position])
      position = position + 1
    end
  end
  if key <= 1 + hashes then
    redis.call("EXPIRE", KEYS[key], ARGV[4])
  else
    redis.call("LTRIM", KEYS[key], 0, ARGV[6] - 1)
    redis.call("EXPIRE", KEYS[key], ARGV[5])
  end
end
return 1`;

/** Returns what to add to the fields of each hash: of the team, of all callers, and of the list of teams. */
function increments(counters: UsageCounter[]): Map<string, Map<string, number>> {
  const hashes = new Map<string, Map<string, number>>();
  const add = (key: string, field: string, calls: number) => {
    const fields = hashes.get(key) ?? new Map<string, number>();
    hashes.set(key, fields.set(field, (fields.get(field) ?? 0) + calls));
  };
  for (const { team, day, endpoint, outcome, calls } of counters) {
    add(usageKey(team, day), `${endpoint} ${outcome}`, calls);
    add(usageKey(allTeams, day), `${endpoint} ${outcome}`, calls);
    add(usageByTeamKey(day), `${team} ${outcomeKind(outcome)}`, calls);
  }
  return hashes;
}

/** Returns the new entries of each list, the oldest first. */
function newErrors(counters: UsageCounter[]): Map<string, string[]> {
  const failed = counters.filter(({ errors }) => errors.length > 0);
  const byList = Map.groupBy(failed, ({ team, outcome }) => recentErrorsKey(team, outcome));
  return new Map(
    [...byList].map(([key, own]) => {
      const newest = own
        .flatMap(({ errors }) => errors)
        .toSorted((a, b) => a.at - b.at)
        .slice(-recentErrorsMax);
      return [key, newest.map((error) => JSON.stringify(error))];
    }),
  );
}

const daySeconds = dayMs / 1_000;

/** How long the number of an ingress' last write stays: as long as it may be repeated. */
const repeatableSeconds = daySeconds;

/** `number`: 1, 2, 3 … in the order of the writes of this ingress. */
type UsageWrite = { ingress: string; number: number };
