import { createHash } from "node:crypto";

/** A script that Redis runs whole or not at all. */
export interface Script {
  text: string;
  sha: string;
}

/**
 * What every script knows: the time by the store's own clock, and a world's hash `meta` with its `holder` (the mock that writes it), its
 * `fence` (how often it changed hands) and its `last` (the number of its last entry), and
 * `at`, the time at which its clock showed what the last entry says. A mock is alive as long as its key has not run out.
 */
const common = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** Only the holder goes on, and only before its caller has been told that it was too late. ARGV: fence, deadline. */
const fenced = `${common}
if now > tonumber(ARGV[2]) then return {'late', now} end
if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return {'lost', now} end
`;

/** Writes a world down as it is founded. KEYS: meta; ARGV: holder, deadline, beginning. Answers `taken` or `mine`. */
export const found = script(`${common}
if now > tonumber(ARGV[2]) then return {'late', now} end
if redis.call('EXISTS', KEYS[1]) == 1 then
  if redis.call('HGET', KEYS[1], 'beginning') ~= ARGV[3] or redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return {'taken', now} end
  return {'mine', now}
end
redis.call('HSET', KEYS[1], 'beginning', ARGV[3], 'holder', ARGV[1], 'fence', 1, 'last', 0, 'at', now)
return {'mine', now}
`);

/** Takes a world over when nobody alive holds it. KEYS: meta; ARGV: holder, deadline, prefix of the mocks' keys. */
export const take = script(`${common}
if now > tonumber(ARGV[2]) then return {'late', now} end
local holder = redis.call('HGET', KEYS[1], 'holder')
if holder == false then return {'absent', now} end
if holder ~= '' and holder ~= ARGV[1] and redis.call('EXISTS', ARGV[3] .. holder) == 1 then return {'held', now, holder} end
redis.call('HSET', KEYS[1], 'holder', ARGV[1])
return {'mine', now, redis.call('HINCRBY', KEYS[1], 'fence', 1), tonumber(redis.call('HGET', KEYS[1], 'at'))}
`);

/**
 * Adds entries to a world's log, once: an attempt that is made again finds them there. The first write is the one that a full memory refuses,
 * and then there is none. KEYS: meta, log; ARGV: fence, deadline, when the last took effect, number before them, entries.
 */
export const append = script(`${fenced}
local last = tonumber(redis.call('HGET', KEYS[1], 'last'))
local before = tonumber(ARGV[4])
if last == before + #ARGV - 4 then return {'kept', now} end
if last ~= before then return {'lost', now} end
for i = 5, #ARGV do redis.call('XADD', KEYS[2], '*', 'e', ARGV[i]) end
redis.call('HSET', KEYS[1], 'last', before + #ARGV - 4, 'at', ARGV[3])
return {'kept', now}
`);

/** Whether a world is still its holder's. KEYS: meta; ARGV: fence, deadline. */
export const confirm = script(`${fenced}
return {'kept', now}
`);

/** Puts a state in the place of the log up to a number. KEYS: meta, log, base; ARGV: fence, deadline, when it was so, number, state. */
export const rebase = script(`${fenced}
redis.call('SET', KEYS[3], ARGV[5])
redis.call('XTRIM', KEYS[2], 'MAXLEN', 0)
redis.call('HSET', KEYS[1], 'last', ARGV[4], 'at', ARGV[3])
return {'kept', now}
`);

/** Lets go of a world. KEYS: meta; ARGV: fence, deadline. */
export const release = script(`${fenced}
redis.call('HSET', KEYS[1], 'holder', '')
return {'kept', now}
`);

/** Takes a world away. KEYS: meta, log, base, names of all; ARGV: fence, deadline, name. */
export const remove = script(`${fenced}
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
redis.call('SREM', KEYS[4], ARGV[3])
return {'kept', now}
`);

/** Says that a mock is alive. KEYS: its own; ARGV: how long, in milliseconds. */
export const beat = script(`${common}
redis.call('SET', KEYS[1], 1, 'PX', ARGV[1])
return {'kept', now}
`);

function script(text: string): Script {
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}
