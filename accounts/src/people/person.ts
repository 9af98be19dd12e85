import { readMessage } from "@faceline/runtime/message";
import { type RedisConnection, script } from "@faceline/runtime/redis";
import { Tenant } from "@faceline/contracts/wire/ids";
import { peopleKey, personKey } from "@faceline/contracts/wire/names";
import * as z from "zod";
import { Email } from "./email.ts";

/** Who was approved. Operators have a team as well, so that everybody has a dashboard. */
export const Person = z.object({
  email: Email,
  team: Tenant,
  role: z.enum(["member", "operator"]),
  createdAt: z.number().positive(),
});
export type Person = z.infer<typeof Person>;

/** Returns null for an unknown address, and for a record that does not parse. */
export async function findPerson(durable: RedisConnection, email: string): Promise<Person | null> {
  const parsed = readMessage(Person, await durable.getBuffer(personKey(email)));
  return parsed.ok ? parsed.value : null;
}

/** Returns everybody, ordered by team, then by address. */
export async function listPeople(durable: RedisConnection): Promise<Person[]> {
  const emails = await durable.smembers(peopleKey);
  if (emails.length === 0) return [];
  const stored = await durable.mgetBuffer(emails.map(personKey));
  return stored
    .map((json) => readMessage(Person, json))
    .filter((parsed) => parsed.ok)
    .map((parsed) => parsed.value)
    .toSorted((a, b) => a.team.localeCompare(b.team) || a.email.localeCompare(b.email));
}

/**
 * Stores a person who is not known yet. A known person stays as they are: only `approval.ts` changes their
 * record.
 */
export async function storePerson(durable: RedisConnection, person: Person): Promise<void> {
  const entry = Person.parse(person);
  const keys = [personKey(entry.email), peopleKey];
  await script(durable, storePersonScript)(...keys, JSON.stringify(entry));
}

/** `decode`: undefined for a record that is missing or is not JSON. Such a person is stored as a new one. */
export const personLua = `
  local function decode(json)
    local ok, record = pcall(cjson.decode, json or '')
    if ok and type(record) == 'table' then return record end
  end
  local function store(key, people, person)
    redis.call('SADD', people, person.email)
    redis.call('SET', key, cjson.encode(person))
  end`;

/** KEYS: person, people. ARGV: record. */
const storePersonScript = {
  name: "storePerson",
  numberOfKeys: 2,
  lua: `${personLua}
    if not decode(redis.call('GET', KEYS[1])) then store(KEYS[1], KEYS[2], decode(ARGV[1])) end`,
};
