import { personLua } from "./person.ts";

/**
 * Changes of people and the waitlist, each with its entry in the audit log in one step of the server: a
 * person who is forgotten at the same time does not come back, and no change lacks its entry.
 */

/**
 * KEYS: person, people, waitlist, mark that they were declined, audit log. ARGV: record; whether they must
 * be on the waitlist unless they are known; arguments of XADD. Returns the record that holds, or nil.
 */
export const admitPersonScript = {
  name: "admitPerson",
  numberOfKeys: 5,
  lua: `${personLua}
    local person, known = decode(ARGV[1]), decode(redis.call('GET', KEYS[1]))
    if not known and ARGV[2] == '1' and not redis.call('HGET', KEYS[3], person.email) then return false end
    if known and known.team ~= person.team then return cjson.encode(known) end
    if not known then store(KEYS[1], KEYS[2], person) end
    redis.call('DEL', KEYS[4])
    redis.call('HDEL', KEYS[3], person.email)
    redis.call('XADD', KEYS[5], unpack(ARGV, 3))
    return cjson.encode(known or person)`,
};

/**
 * The same keys. ARGV: email; record of somebody who is not known, or an empty string for nobody; arguments
 * of XADD. Returns the role that they had, or an empty string, and the record; nil: nobody is known.
 */
export const makeOperatorScript = {
  name: "makeOperator",
  numberOfKeys: 5,
  lua: `${personLua}
    local known = decode(redis.call('GET', KEYS[1]))
    local person = known or decode(ARGV[2])
    if not person then return false end
    local role = known and known.role or ''
    person.role = 'operator'
    redis.call('DEL', KEYS[4])
    redis.call('HDEL', KEYS[3], ARGV[1])
    if role ~= 'operator' then
      store(KEYS[1], KEYS[2], person)
      redis.call('XADD', KEYS[5], unpack(ARGV, 3))
    end
    return { role, cjson.encode(person) }`,
};

/** KEYS: person, people, audit log. ARGV: email, what the names of people begin with, arguments of XADD. */
export const makeMemberScript = {
  name: "makeMember",
  numberOfKeys: 3,
  lua: `${personLua}
    local person = decode(redis.call('GET', KEYS[1]))
    if not person then return 'unknown' end
    if person.role ~= 'operator' then return 'was_member' end
    local others = false
    for _, email in ipairs(redis.call('SMEMBERS', KEYS[2])) do
      local other = email ~= ARGV[1] and decode(redis.call('GET', ARGV[2] .. email))
      others = others or (other and other.role == 'operator')
    end
    if not others then return 'last_operator' end
    person.role = 'member'
    store(KEYS[1], KEYS[2], person)
    redis.call('XADD', KEYS[3], unpack(ARGV, 3))
    return 'made'`,
};

/**
 * KEYS: waitlist, person, mark that they were declined, audit log. ARGV: email, now, how long the mark is
 * kept in seconds, arguments of XADD.
 */
export const declineScript = {
  name: "decline",
  numberOfKeys: 4,
  lua: `
    if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return 0 end
    if not redis.call('GET', KEYS[2]) then redis.call('SET', KEYS[3], ARGV[2], 'EX', ARGV[3]) end
    redis.call('XADD', KEYS[4], unpack(ARGV, 4))
    return 1`,
};
