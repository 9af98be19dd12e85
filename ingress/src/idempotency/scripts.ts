// What Redis does in one step with the claim of an `Idempotency-Key`: a hash of the fingerprint of the call that has it,
// its state (`running`, `kept`, `unkept`), who runs it, and the answer once there is one.

/** KEYS: claim. ARGV: fingerprint, holder, how long it lasts. Returns [how it stands, and the answer where it is kept]. */
export const claim = `
local found = redis.call('HMGET', KEYS[1], 'fingerprint', 'state')
if not found[1] then
  redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'state', 'running', 'holder', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return {'claimed'}
end
if found[1] ~= ARGV[1] then return {'conflict'} end
if found[2] ~= 'kept' then return {found[2]} end
local answer = redis.call('HMGET', KEYS[1], 'status', 'type', 'body')
return {'kept', answer[1], answer[2], answer[3]}
`;

/**
 * Keeps an answer where its bytes fit into what the team and all teams may keep. Bytes are counted by the window in which
 * they came; whatever is still kept came in this one or the one before.
 *
 * KEYS: claim, bytes of the team now and before, bytes of all now and before. ARGV: holder, status, type, body, bytes,
 * how long it is kept, bytes a team and all may keep, how long it is known that it was not kept.
 */
export const keep = `
if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
local counted = redis.call('MGET', KEYS[2], KEYS[3], KEYS[4], KEYS[5])
for i = 1, 4 do counted[i] = tonumber(counted[i] or 0) end
local bytes = tonumber(ARGV[5])
if counted[1] + counted[2] + bytes > tonumber(ARGV[7]) or counted[3] + counted[4] + bytes > tonumber(ARGV[8]) then
  redis.call('HSET', KEYS[1], 'state', 'unkept')
  redis.call('HDEL', KEYS[1], 'holder')
  redis.call('PEXPIRE', KEYS[1], ARGV[9])
  return 0
end
for _, key in ipairs({KEYS[2], KEYS[4]}) do
  redis.call('INCRBY', key, ARGV[5])
  redis.call('PEXPIRE', key, 2 * ARGV[6])
end
redis.call('HSET', KEYS[1], 'state', 'kept', 'status', ARGV[2], 'type', ARGV[3], 'body', ARGV[4])
redis.call('HDEL', KEYS[1], 'holder')
redis.call('PEXPIRE', KEYS[1], ARGV[6])
return 1
`;

/** KEYS: claim. ARGV: holder. */
export const free = `
if redis.call('HGET', KEYS[1], 'holder') == ARGV[1] then redis.call('DEL', KEYS[1]) end
`;

/** KEYS: claim. ARGV: holder, how long it lasts from now. */
export const renew = `
if redis.call('HGET', KEYS[1], 'holder') == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
`;
