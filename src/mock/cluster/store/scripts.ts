import { createHash } from "node:crypto";

/** A script that Redis runs completely or not at all. */
export interface Script {
  text: string;
  sha: string;
}

/**
 * Every script knows `now`, the time of the store's own clock. The hash `meta` of a world has
 * `owner` (the mock that may write to it) until `until`, the end of its lease;
 * `fence`, the fencing token: each acquisition has a larger one, also when the world was deleted and created again in between;
 * `wanted`, the mock that waits for the world, and `wanted_at`, when it last asked;
 * `first` and `last`, the number before the first entry in the log and the number of the last one;
 * `at`, the time at which the world's clock showed what the last entry says.
 */
const common = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[2]) then return {'late', now} end
`;

/** Refuses everybody but the owner. ARGV: fence, deadline. */
const fenced = `${common}
if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return {'lost', now} end
`;

/**
 * Writes the beginning of a new world, and the settings when the store lost them. KEYS: meta, names, settings; ARGV: owner, deadline,
 * length of a lease, name, beginning, settings. Answers `taken`, `mine`, or `otherwise` when the store has other settings.
 */
export const create = script(`${common}
redis.call('SET', KEYS[3], ARGV[6], 'NX')
if redis.call('GET', KEYS[3]) ~= ARGV[6] then return {'otherwise', now} end
if redis.call('EXISTS', KEYS[1]) == 1 then
  if redis.call('HGET', KEYS[1], 'beginning') ~= ARGV[5] or redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return {'taken', now} end
  return {'mine', now}
end
redis.call('HSET', KEYS[1], 'beginning', ARGV[5], 'owner', ARGV[1], 'until', now + ARGV[3], 'fence', now, 'first', 0, 'last', 0, 'at', now)
redis.call('SADD', KEYS[2], ARGV[4])
return {'mine', now}
`);

/**
 * Acquires a world when no other mock has a lease of it. A mock that waits comes before mocks that ask later, as long as it goes on asking.
 * KEYS: meta; ARGV: new owner, deadline, length of a lease, how long a place in the queue lasts.
 */
export const acquire = script(`${common}
local owner = redis.call('HGET', KEYS[1], 'owner')
if owner == false then return {'absent', now} end
if owner ~= ARGV[1] then
  local waiter = redis.call('HGET', KEYS[1], 'wanted')
  local isNext = not waiter or waiter == ARGV[1] or now - redis.call('HGET', KEYS[1], 'wanted_at') > tonumber(ARGV[4])
  if not isNext then return {'held', now, owner} end
  if owner ~= '' and now < tonumber(redis.call('HGET', KEYS[1], 'until')) then
    redis.call('HSET', KEYS[1], 'wanted', ARGV[1], 'wanted_at', now)
    return {'held', now, owner}
  end
end
local fence = math.max(now, redis.call('HGET', KEYS[1], 'fence') + 1)
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'until', now + ARGV[3], 'fence', fence)
redis.call('HDEL', KEYS[1], 'wanted', 'wanted_at')
return {'mine', now, fence, tonumber(redis.call('HGET', KEYS[1], 'at'))}
`);

/** Renews leases. KEYS: meta of each world; ARGV: length of a lease, deadline, fence of each world. Answers `kept`, `wanted` or `lost` for each. */
export const renew = script(`${common}
local answer = {'kept', now}
for i, meta in ipairs(KEYS) do
  if redis.call('HGET', meta, 'fence') ~= ARGV[i + 2] then
    answer[i + 2] = 'lost'
  else
    redis.call('HSET', meta, 'until', now + ARGV[1])
    answer[i + 2] = redis.call('HEXISTS', meta, 'wanted') == 1 and 'wanted' or 'kept'
  end
end
return answer
`);

/**
 * Adds entries to a world's log, once: a second attempt finds them there. The first write is the one that a full memory refuses,
 * and then there is none. KEYS: meta, log; ARGV: fence, deadline, when the last took effect, number before them, entries.
 */
export const append = script(`${fenced}
local last = tonumber(redis.call('HGET', KEYS[1], 'last'))
local before = tonumber(ARGV[4])
if last == before + #ARGV - 4 then return {'kept', now} end
if last ~= before then return {'lost', now} end
for i = 5, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[i]) end
redis.call('HSET', KEYS[1], 'last', before + #ARGV - 4, 'at', ARGV[3])
return {'kept', now}
`);

/** Answers whether the mock is still the owner. KEYS: meta; ARGV: fence, deadline. */
export const confirm = script(`${fenced}
return {'kept', now}
`);

/**
 * Cuts the log to the entries behind `first` and up to `last`, and writes the state at `last` when there is one. KEYS: meta, log, states;
 * ARGV: fence, deadline, when it was so, last, first, state or nothing.
 */
export const save = script(`${fenced}
local last, first = tonumber(ARGV[4]), tonumber(ARGV[5])
local begin = tonumber(redis.call('HGET', KEYS[1], 'first'))
if ARGV[6] then redis.call('HSET', KEYS[3], ARGV[4], ARGV[6]) end
if last <= first then redis.call('DEL', KEYS[2]) else redis.call('LTRIM', KEYS[2], first - begin, last - begin - 1) end
for _, number in ipairs(redis.call('HKEYS', KEYS[3])) do
  if tonumber(number) < first or tonumber(number) > last then redis.call('HDEL', KEYS[3], number) end
end
redis.call('HSET', KEYS[1], 'first', ARGV[5], 'last', ARGV[4], 'at', ARGV[3])
return {'kept', now}
`);

/** Ends the lease of a world. KEYS: meta; ARGV: fence, deadline. */
export const release = script(`${fenced}
redis.call('HSET', KEYS[1], 'owner', '')
return {'kept', now}
`);

/** Deletes a world. KEYS: meta, log, states, names of all; ARGV: fence, deadline, name. */
export const remove = script(`${fenced}
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
redis.call('SREM', KEYS[4], ARGV[3])
return {'kept', now}
`);

function script(text: string): Script {
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}
