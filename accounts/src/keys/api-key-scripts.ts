import { apiKeyKey, keyChangesChannel, teamsKey } from "@faceline/contracts/wire/names";

/**
 * Changes of keys and limits, each as one step of the server. Reading a record here and writing it back whole
 * could undo a concurrent change, such as a revocation. Only the fields that change are set, and unknown
 * fields stay.
 */

/** `decode`: undefined for a record that is missing or is not JSON. Times and limits are exact in cjson. */
const decodeLua = `
  local function decode(json)
    local ok, record = pcall(cjson.decode, json or '')
    if ok and type(record) == 'table' then return record end
  end`;

/**
 * `tighten`: a revoked key stays revoked, and of two ends the earlier one holds, in whatever order changes
 * arrive. `hasRoom`: whether a team has fewer than `max` keys that work; a `max` of 0 is no bound.
 * `isMember`: whether a person is in the team now; true for no person, which is a command.
 */
const keyLua = `${decodeLua}
  local function tighten(key, change)
    if change.disabled then key.disabled = true end
    local ends = change.expiresAt
    if ends then key.expiresAt = math.min(ends, key.expiresAt or ends) end
  end
  local function hasRoom(team, teamKeys, max, now)
    if max == 0 then return true end
    local count = 0
    for _, sha256 in ipairs(redis.call('SMEMBERS', teamKeys)) do
      local key = decode(redis.call('GET', '${apiKeyKey("")}' .. sha256))
      local works = key and not key.disabled and not (key.expiresAt and key.expiresAt <= now)
      if works and key.team == team then count = count + 1 end
    end
    return count < max
  end
  local function isMember(team, person)
    if person == '' then return true end
    local record = decode(redis.call('GET', person))
    return record ~= nil and record.team == team
  end
  local function publish(sha256)
    redis.call('PUBLISH', '${keyChangesChannel}', cjson.encode({ sha256 = sha256 }))
  end`;

/** Adds the team to the list of teams, and publishes the change. */
const publishTeamLua = `redis.call('SADD', '${teamsKey}', ARGV[1])
    redis.call('PUBLISH', '${keyChangesChannel}', cjson.encode({ team = ARGV[1] }))`;

/** KEYS: record. ARGV: SHA-256, change, name that the record must have or an empty string. */
export const changeApiKeyScript = {
  name: "changeApiKey",
  numberOfKeys: 1,
  lua: `${keyLua}
    local key, change = decode(redis.call('GET', KEYS[1])), decode(ARGV[2])
    if not key then return 'none' end
    if ARGV[3] ~= '' and key.name ~= ARGV[3] then return 'renamed' end
    if change.name then key.name = change.name end
    tighten(key, change)
    redis.call('SET', KEYS[1], cjson.encode(key))
    publish(ARGV[1])
    return 'changed'`,
};

/** KEYS: record, keys of the team. ARGV: SHA-256, record, `max`, now, person or an empty string. */
export const addApiKeyScript = {
  name: "addApiKey",
  numberOfKeys: 2,
  lua: `${keyLua}
    local team = decode(ARGV[2]).team
    if not isMember(team, ARGV[5]) then return 'none' end
    if not hasRoom(team, KEYS[2], tonumber(ARGV[3]), tonumber(ARGV[4])) then return 'too_many' end
    redis.call('SADD', '${teamsKey}', team)
    redis.call('SADD', KEYS[2], ARGV[1])
    return redis.call('SET', KEYS[1], ARGV[2], 'NX') and 'created' or 'exists'`,
};

/** Arguments as above, then the record and the SHA-256 of the key that is rotated, and its end. */
export const rotateApiKeyScript = {
  name: "rotateApiKey",
  numberOfKeys: 3,
  lua: `${keyLua}
    local key, old = decode(ARGV[2]), decode(redis.call('GET', KEYS[3]))
    if not old or old.disabled or not isMember(key.team, ARGV[5]) then return 'none' end
    if old.expiresAt then return 'rotated' end
    if not hasRoom(key.team, KEYS[2], tonumber(ARGV[3]), tonumber(ARGV[4])) then return 'too_many' end
    key.name = old.name
    redis.call('SADD', '${teamsKey}', key.team)
    redis.call('SADD', KEYS[2], ARGV[1])
    redis.call('SET', KEYS[1], cjson.encode(key), 'NX')
    tighten(old, { expiresAt = tonumber(ARGV[7]) })
    redis.call('SET', KEYS[3], cjson.encode(old))
    publish(ARGV[6])
    return 'created'`,
};

/** KEYS: record of the team. ARGV: its name, limits. Other limits stay. Returns the record as it was. */
export const setTeamLimitsScript = {
  name: "setTeamLimits",
  numberOfKeys: 1,
  lua: `${decodeLua}
    local stored = redis.call('GET', KEYS[1])
    local team = decode(stored) or {}
    team.limits = team.limits or {}
    for name, limit in pairs(decode(ARGV[2])) do team.limits[name] = limit end
    redis.call('SET', KEYS[1], cjson.encode(team))
    ${publishTeamLua}
    return stored`,
};

/** KEYS: record of the team. ARGV: its name, record as it was read or an empty string, new record. */
export const replaceTeamLimitsScript = {
  name: "replaceTeamLimits",
  numberOfKeys: 1,
  lua: `
    if (redis.call('GET', KEYS[1]) or '') ~= ARGV[2] then return 0 end
    redis.call('SET', KEYS[1], ARGV[3])
    ${publishTeamLua}
    return 1`,
};
