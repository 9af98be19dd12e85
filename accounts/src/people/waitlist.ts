import { readMessage } from "@faceline/runtime/message";
import { type RedisConnection, script } from "@faceline/runtime/redis";
import { waitlistKey } from "@faceline/contracts/wire/names";
import * as z from "zod";
import { Email } from "./email.ts";

/** The form of an applicant. Direction marks and control characters would falsify what an operator reads. */
export const WaitlistForm = z.object({
  email: Email,
  text: z
    .string()
    .overwrite((text) => text.replaceAll("\r\n", "\n").trim())
    .max(1_000)
    .regex(/^(?:[^\p{Cc}\u202a-\u202e\u2066-\u2069]|[\n\t])*$/u)
    .default(""),
});

/**
 * `text`: the newest. `firstText`: the first one, if the form was sent again. `network`: where the first form
 * came from.
 */
const StoredEntry = z.object({
  text: z.string(),
  joinedAt: z.number().positive(),
  network: z.string().optional(),
  firstText: z.string().optional(),
  sentAgainAt: z.number().positive().optional(),
});

/** Takes at most 5.2 MB. A constant, because nobody approves that many by hand. */
export const waitlistEntriesMax = 2_000;

/**
 * Most entries of one mail domain that may displace others from a full list. Half, so that a popular provider
 * still gets in.
 */
const domainEntriesMax = waitlistEntriesMax / 2;

/** Age from which an entry may leave a full list even if it is the only one of its network. */
const daysMin = 30;

/**
 * Stores what somebody wrote. For an address that is already waiting, the first and the newest text are
 * stored: its owner may correct the entry, and somebody else who knows the address cannot remove it. Neither
 * the result nor the time reveals who is on the list.
 *
 * A full list makes room, so that filling it does not close it: see `joinScript`. `full`: nothing was stored.
 */
export async function joinWaitlist(
  durable: RedisConnection,
  { email, text, network = "" }: z.infer<typeof WaitlistForm> & { network?: string },
  now = Date.now(),
): Promise<"joined" | "full"> {
  // It is written into JSON as it is: cjson would escape its slash.
  if (!/^[\w.:/]*$/.test(network)) throw new Error("a network has letters, digits, dots, colons and a slash");
  const bounds = [waitlistEntriesMax, domainEntriesMax, now - daysMin * dayMs];
  const result = await script(durable, joinScript)(waitlistKey, email, text, network, now, ...bounds);
  return result as "joined" | "full";
}

const dayMs = 86_400_000;

/**
 * Adds an entry. From a full list the newest entry of the network with most entries leaves, if that network
 * keeps more than the newcomer's gets. Else the oldest entry leaves, if it is older than `daysMin`. So
 * somebody from a network that has no entry finds room unless 2,000 networks hold an entry each; and an
 * entry that is the only one of its network stays for 30 days, whatever comes. A domain at its bound makes
 * room among its own entries, by the same rule: for it 1,000 networks are enough.
 *
 * What decides stands first in an entry, where a pattern finds it at once: parsing 2,000 entries would stop
 * the server for long.
 *
 * KEYS: waitlist. ARGV: email, text, network, now, entries at most, of a domain, when old ones have joined.
 */
const joinScript = {
  name: "joinWaitlist",
  numberOfKeys: 1,
  lua: `
    local email, network, now = ARGV[1], ARGV[3], tonumber(ARGV[4])

    local function read(json)
      local joinedAt, rest = string.match(json, '^{"joinedAt":(%d+),()')
      local from = rest and string.match(json, '^"network":"([^"]*)"', rest)
      return tonumber(joinedAt) or math.huge, from or ''
    end

    local function whoLeaves()
      local all = redis.call('HGETALL', KEYS[1])
      local domain = string.sub(email, (string.find(email, '@', 1, true)))
      local own, everybody = {}, {}
      for i = 1, #all, 2 do
        if all[i] ~= email then
          table.insert(everybody, i)
          if string.sub(all[i], -#domain) == domain then table.insert(own, i) end
        end
      end
      local candidates = #own < tonumber(ARGV[6]) and everybody or own
      local joined, networks, counts, oldest = {}, {}, { [''] = 0 }, nil
      for _, i in ipairs(candidates) do
        local joinedAt, from = read(all[i + 1])
        joined[i], networks[i] = joinedAt, from
        if from ~= '' then counts[from] = (counts[from] or 0) + 1 end
        if not oldest or joinedAt < joined[oldest] then oldest = i end
      end
      local most, newest = (counts[network] or 0) + 1, nil
      for _, count in pairs(counts) do most = math.max(most, count) end
      if most > (counts[network] or 0) + 1 then
        for _, i in ipairs(candidates) do
          local isLargest = counts[networks[i]] == most
          if isLargest and (not newest or joined[i] > joined[newest]) then newest = i end
        end
      end
      if newest then return all[newest] end
      if oldest and joined[oldest] < tonumber(ARGV[7]) then return all[oldest] end
    end

    local stored = redis.call('HGET', KEYS[1], email)
    if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[5]) then
      local leaver = whoLeaves()
      if not leaver then return 'full' end
      if not stored then redis.call('HDEL', KEYS[1], leaver) end
    end
    local ok, known = pcall(cjson.decode, stored or '')
    local joinedAt, rest = now, { text = ARGV[2] }
    if ok and type(known) == 'table' and known.joinedAt then
      joinedAt, network = known.joinedAt, known.network or ''
      rest.firstText, rest.sentAgainAt = known.firstText or known.text, now
    end
    local head = string.format('{"joinedAt":%.0f,', joinedAt)
    if network ~= '' then head = head .. '"network":"' .. network .. '",' end
    redis.call('HSET', KEYS[1], email, head .. string.sub(cjson.encode(rest), 2))
    return 'joined'`,
};

/** Returns all entries, the oldest first. An entry that does not parse is shown without its text. */
export async function listWaitlist(durable: RedisConnection): Promise<WaitlistEntry[]> {
  const stored = await durable.hgetallBuffer(waitlistKey);
  return Object.entries(stored)
    .map(([email, json]) => {
      const parsed = readMessage(StoredEntry, json);
      return { email, ...(parsed.ok ? parsed.value : { text: "", joinedAt: 0 }) };
    })
    .toSorted((a, b) => a.joinedAt - b.joinedAt || a.email.localeCompare(b.email));
}

/** Removes entries, and returns how many there were. */
export async function leaveWaitlist(durable: RedisConnection, ...emails: string[]): Promise<number> {
  return emails.length === 0 ? 0 : durable.hdel(waitlistKey, ...emails);
}

/**
 * `text`: what the person wrote, the newest. Instants in epoch milliseconds; `joinedAt` is 0 when it cannot
 * be read.
 */
export type WaitlistEntry = { email: string } & z.infer<typeof StoredEntry>;
