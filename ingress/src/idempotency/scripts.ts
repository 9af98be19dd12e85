// The Lua scripts of the idempotency store. A record is a hash with the fingerprint of its call, its state
// (`running`, `stored`, `not_stored`), the holder of the lock while it is running, and the reply once it is
// stored.

/** KEYS: record. ARGV: fingerprint, holder, lock time. Returns [result, and the reply if it is stored]. */
export const acquireScript = `
local record = redis.call('HMGET', KEYS[1], 'fingerprint', 'state')
if not record[1] then
  redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'state', 'running', 'holder', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return {'acquired'}
end
if record[1] ~= ARGV[1] then return {'conflict'} end
if record[2] ~= 'stored' then return {record[2]} end
local stored = redis.call('HMGET', KEYS[1], 'status', 'type', 'body')
return {'stored', stored[1], stored[2], stored[3]}
`;

/**
 * Stores a reply if its bytes fit into the budget of the team and of all teams. Bytes are counted by time
 * window of the storage time, so whatever is still stored was counted in this window or in the last.
 *
 * KEYS: record; bytes of the team, now and in the last window; bytes of all teams, likewise.
 * ARGV: holder, status, type, body, bytes, storage time, budget of the team, of all, time of `not_stored`.
 */
export const storeScript = `
if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
local counted = redis.call('MGET', KEYS[2], KEYS[3], KEYS[4], KEYS[5])
for i = 1, 4 do counted[i] = tonumber(counted[i] or 0) end
local bytes = tonumber(ARGV[5])
if counted[1] + counted[2] + bytes > tonumber(ARGV[7]) or counted[3] + counted[4] + bytes > tonumber(ARGV[8]) then
  redis.call('HSET', KEYS[1], 'state', 'not_stored')
  redis.call('HDEL', KEYS[1], 'holder')
  redis.call('PEXPIRE', KEYS[1], ARGV[9])
  return 0
end
for _, key in ipairs({KEYS[2], KEYS[4]}) do
  redis.call('INCRBY', key, ARGV[5])
  redis.call('PEXPIRE', key, 2 * ARGV[6])
end
redis.call('HSET', KEYS[1], 'state', 'stored', 'status', ARGV[2], 'type', ARGV[3], 'body', ARGV[4])
redis.call('HDEL', KEYS[1], 'holder')
redis.call('PEXPIRE', KEYS[1], ARGV[6])
return 1
`;

/** KEYS: record. ARGV: holder. */
export const releaseScript = `
if redis.call('HGET', KEYS[1], 'holder') == ARGV[1] then redis.call('DEL', KEYS[1]) end
`;

/** KEYS: record. ARGV: holder, lock time from now. */
export const renewScript = `
if redis.call('HGET', KEYS[1], 'holder') == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
`;
