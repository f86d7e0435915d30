import { createHash } from "node:crypto";

/** A script that Redis runs completely or not at all. */
export interface Script {
  text: string;
  sha: string;
  /** Whether a later attempt shows if an earlier attempt without a response took effect. */
  showsEarlier: boolean;
}

/**
 * Every script knows `now`, the time of the store's clock. The hash `meta` of a world has these fields. `owner`: the mock that may write to
 * the world until `until`, the end of its lease; absent after a release. `fence`: the fencing token, which every acquisition increases, also after a deletion.
 * `done`: the number of the owner's last write. `fence_before` and `done_before`: the same values of the previous owner. `attempt`: the
 * request that created the world. Until the first `confirm`, only this request can acquire the world, and the world expires with the lease.
 * `waiters`: the mocks that wait for the world in the order of their first requests, each with the time of its last request. `releases`: the
 * fence of the newest owners that released the world, and the number of the last entry then; without those before a rewind. `first` and
 * `last`: the number before the first entry of the log, and the number of the last entry. `at`: the store's time of the last entry.
 */
const time = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- whether a time is that many milliseconds ago at most; one ahead is of before the clock was set back
local function isRecent(at, ms) return now >= tonumber(at) and now - at <= tonumber(ms) end
local function listOf(meta, field) return cjson.decode(redis.call('HGET', meta, field) or '[]') end
`;

/** Refuses a script after its deadline. ARGV: anything, deadline. */
const common = `${time}
if now > tonumber(ARGV[2]) then return {'late', now} end
`;

/**
 * Refuses every mock except the owner, and performs each write once. ARGV: fence, deadline, number of the write. Returns `kept` if the
 * write is done, `late` or `never` if it will not be done, and `lost` if the store does not know.
 */
const fenced = `${time}
local isOwner = redis.call('HGET', KEYS[1], 'fence') == ARGV[1]
if not isOwner and redis.call('HGET', KEYS[1], 'fence_before') ~= ARGV[1] then return {'lost', now} end
local done = redis.call('HGET', KEYS[1], isOwner and 'done' or 'done_before')
if tonumber(done or 0) >= tonumber(ARGV[3]) then return {'kept', now} end
if not isOwner then return {'never', now} end
if now > tonumber(ARGV[2]) then return {'late', now} end
`;

/**
 * Writes the configuration of a new world, and the settings if the store has lost them. KEYS: meta, settings; ARGV: owner, deadline, length
 * of a lease, configuration, settings, attempt. Returns `mine`, `taken`, `held` while another request creates a world of that name, or
 * `otherwise` if the store has other settings.
 */
export const create = createScript(`${common}
redis.call('SET', KEYS[2], ARGV[5], 'NX')
if redis.call('GET', KEYS[2]) ~= ARGV[5] then return {'otherwise', now} end
if redis.call('EXISTS', KEYS[1]) == 1 then
  if redis.call('HGET', KEYS[1], 'attempt') == ARGV[6] then return {'mine', now} end
  return {redis.call('PTTL', KEYS[1]) < 0 and 'taken' or 'held', now}
end
redis.call('HSET', KEYS[1], 'beginning', ARGV[4], 'owner', ARGV[1], 'until', now + ARGV[3], 'fence', now, 'first', 0, 'last', 0, 'at', now,
  'attempt', ARGV[6])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {'mine', now}
`);

/**
 * Acquires a world without a lease of another mock. The mocks that wait get it in the order of their first requests. One that does not
 * repeat its request in time is passed over. KEYS: meta, settings; ARGV: new owner, deadline, length of a lease, longest pause of a waiting
 * mock, attempt of the creating request, settings. Returns `held` or `absent`. Returns `otherwise` if the store has other settings. Returns
 * `mine` with the fence, the time of the last entry and the releases.
 */
export const acquire = createScript(`${common}
local owner = redis.call('HGET', KEYS[1], 'owner')
if owner == false then return {'absent', now} end
local settings = redis.call('GET', KEYS[2])
if settings and settings ~= ARGV[6] then return {'otherwise', now} end
if redis.call('PTTL', KEYS[1]) >= 0 then
  if redis.call('HGET', KEYS[1], 'attempt') ~= ARGV[5] then return {'held', now, ''} end
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
local others, place, isNext = {}, nil, true
for _, waiter in ipairs(listOf(KEYS[1], 'waiters')) do
  if waiter[1] == ARGV[1] then
    place = #others + 1
  elseif isRecent(waiter[2], ARGV[3]) then
    others[#others + 1] = waiter
    if not place and isRecent(waiter[2], ARGV[4]) then isNext = false end
  end
end
local leasedUntil = redis.call('HGET', KEYS[1], 'until')
local isLeased = leasedUntil and isRecent(leasedUntil - ARGV[3], ARGV[3])
local isMine = isLeased and owner == ARGV[1] or isNext and not isLeased
if not isMine then table.insert(others, place or #others + 1, {ARGV[1], now}) end
redis.call('HSET', KEYS[1], 'waiters', cjson.encode(others))
if not isMine then return {'held', now, owner} end
local before = redis.call('HMGET', KEYS[1], 'fence', 'done')
local fence = math.max(now, before[1] + 1)
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'until', now + ARGV[3], 'fence', fence, 'done', 0,
  'fence_before', before[1], 'done_before', before[2] or 0)
return {'mine', now, fence, tonumber(redis.call('HGET', KEYS[1], 'at')), redis.call('HGET', KEYS[1], 'releases') or '[]'}
`);

/**
 * Renews leases. KEYS: meta of each world; ARGV: length of a lease, deadline, longest pause of a waiting mock, fence of each world. Returns
 * for each world `kept`, `lost`, or `wanted` if another mock waits for it.
 */
export const renew = createScript(`${common}
local answer = {'kept', now}
for i, meta in ipairs(KEYS) do
  if redis.call('HGET', meta, 'fence') ~= ARGV[i + 3] or redis.call('HEXISTS', meta, 'until') == 0 then
    answer[i + 2] = 'lost'
  else
    redis.call('HSET', meta, 'until', now + ARGV[1])
    if redis.call('PTTL', meta) >= 0 then redis.call('PEXPIRE', meta, ARGV[1]) end
    answer[i + 2] = 'kept'
    for _, waiter in ipairs(listOf(meta, 'waiters')) do
      if isRecent(waiter[2], ARGV[3]) then answer[i + 2] = 'wanted' end
    end
  end
end
return answer
`);

/**
 * Adds entries to a world's log. If the memory of the store is full, the first write fails and no entry is added. KEYS: meta, log; ARGV:
 * fence, deadline, number of the write, store's time of the last entry, number before them, entries.
 */
export const append = createFencedScript(`
local before = tonumber(ARGV[5])
if tonumber(redis.call('HGET', KEYS[1], 'last')) ~= before then return {'lost', now} end
for i = 6, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[i]) end
redis.call('HSET', KEYS[1], 'last', before + #ARGV - 5, 'at', ARGV[4])
`);

/**
 * Returns whether the mock is still the owner. Publishes a world that is being created. KEYS: meta, log, states, names of all worlds; ARGV:
 * fence, deadline, name.
 */
export const confirm = createScript(`${time}
if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return {'lost', now} end
if redis.call('PTTL', KEYS[1]) >= 0 then
  if now > tonumber(ARGV[2]) then return {'late', now} end
  redis.call('PERSIST', KEYS[1])
  redis.call('SADD', KEYS[4], ARGV[3])
end
return {'kept', now}
`);

/**
 * Limits the log to the entries after `first` and up to `last`, and writes the state at `last` if it is given. KEYS: meta, log, states;
 * ARGV: fence, deadline, number of the write, store's time of the last entry, last, first, state or an empty text.
 */
export const save = createFencedScript(`
local last, first = tonumber(ARGV[5]), tonumber(ARGV[6])
local begin = tonumber(redis.call('HGET', KEYS[1], 'first'))
-- a store that lost its newest data has fewer entries than the state
local before = tonumber(redis.call('HGET', KEYS[1], 'last'))
if before < last then return {'lost', now} end
if before > last then redis.call('HDEL', KEYS[1], 'releases') end
if ARGV[7] then redis.call('HSET', KEYS[3], ARGV[5], ARGV[7]) end
if last <= first then redis.call('DEL', KEYS[2]) else redis.call('LTRIM', KEYS[2], first - begin, last - begin - 1) end
for _, number in ipairs(redis.call('HKEYS', KEYS[3])) do
  if tonumber(number) < first or tonumber(number) > last then redis.call('HDEL', KEYS[3], number) end
end
redis.call('HSET', KEYS[1], 'first', ARGV[6], 'last', ARGV[5], 'at', ARGV[4])
`);

/**
 * Ends the lease of a world, also if the memory of the store is full. Sends its name to the mocks that wait for it. KEYS: meta; ARGV: fence,
 * deadline, number of the write, name, beginning of the names of the channels.
 */
export const release = createFencedScript(`
redis.call('HDEL', KEYS[1], 'until')
for _, waiter in ipairs(listOf(KEYS[1], 'waiters')) do redis.call('PUBLISH', ARGV[5] .. waiter[1], ARGV[4]) end
local releases = listOf(KEYS[1], 'releases')
releases[#releases + 1] = {ARGV[1], tonumber(redis.call('HGET', KEYS[1], 'last'))}
if #releases > 20 then table.remove(releases, 1) end
redis.call('HSET', KEYS[1], 'releases', cjson.encode(releases))
`);

/**
 * Deletes a world. Succeeds for a world that does not exist. KEYS: meta, log, states, names of all worlds; ARGV: fence, deadline, number of
 * the write, name.
 */
export const remove = createScript(
  `
if redis.call('EXISTS', KEYS[1]) == 0 then return {'kept', 0} end
${fenced}
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
redis.call('SREM', KEYS[4], ARGV[4])
return {'kept', now}
`,
  true,
);

/** Deletes a world whose creation failed for its client. KEYS: meta, log, states, names of all worlds; ARGV: attempt, deadline, name. */
export const abandon = createScript(`${common}
if redis.call('HGET', KEYS[1], 'attempt') == ARGV[1] then
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
  redis.call('SREM', KEYS[4], ARGV[3])
end
return {'kept', now}
`);

/** Returns a script that only the owner can run, once for each number. */
function createFencedScript(text: string): Script {
  return createScript(`${fenced}${text}redis.call('HSET', KEYS[1], 'done', ARGV[3])\nreturn {'kept', now}\n`, true);
}

function createScript(text: string, showsEarlier = false): Script {
  return { text, sha: createHash("sha1").update(text).digest("hex"), showsEarlier };
}
