import { forgetNumbers } from "../../client-report/calls.js";
import type { Problem } from "../../common/problem.js";
import type { MockContext } from "../context.js";
import { restoreOutside } from "../journal/outside.js";
import { getStoppedTime } from "../worlds/clock.js";
import { findOldestEntryNumber, minKept } from "../worlds/log/append.js";
import { returnTo } from "../worlds/log/checkpoint.js";
import type { LogEntry } from "../worlds/log/entry.js";
import { openLog, type Segment } from "../worlds/log/log.js";
import type { RewindResult } from "../worlds/log/rewind-result.js";
import { endStreams } from "../worlds/tool-sessions.js";
import type { WorldEntry } from "../worlds/worlds.js";
import { beginWorld, replayEntry, wakeClock } from "./replay-log.js";

/**
 * Rewinds a world to the state before an entry of its log: replays the earlier entries on the nearest kept state. Drops all later changes.
 * Calls that a fault delays are cut off.
 */
export async function rewindWorld(context: MockContext, worldEntry: WorldEntry, to: number): Promise<RewindResult | Problem> {
  const { log } = worldEntry;
  if (!Number.isSafeInteger(to) || to < 1) return { problem: "An entry has a whole number of 1 or more.", field: "to" };
  if (to > log.total + 1) return { problem: `The log has ${log.total} entries: give the number of one of them.`, field: "to" };
  const segment = log.segments.findLast(({ after }) => after < to);
  if (!segment) return findRangeProblem(findOldestEntryNumber(log));
  const freshWorldEntry = await replayEntries(context, worldEntry, segment, segment.entries.slice(0, to - 1 - segment.after));
  if (worldEntry.log !== log) return { problem: "Another request rewound the world meanwhile.", field: "to" };
  freshWorldEntry.log.segments.unshift(...log.segments.filter(({ after }) => after < segment.after));
  const dropped = log.total - freshWorldEntry.log.total;
  // the clock of a world that is being replayed stands still
  if (worldEntry.clock.wall !== getStoppedTime) wakeClock(freshWorldEntry);
  restoreOutside(freshWorldEntry.journal, worldEntry.journal, to);
  replace(worldEntry, freshWorldEntry);
  log.hooks.onRewind?.(to);
  const { world, journal } = worldEntry;
  forgetNumbers(worldEntry.tally, journal.total);
  return { now: new Date(world.now).toISOString(), entries: worldEntry.log.total, dropped, calls: journal.total };
}

async function replayEntries(
  context: MockContext,
  { id, configuration, begun }: WorldEntry,
  { base, after }: Segment,
  entries: LogEntry[],
): Promise<WorldEntry> {
  const freshWorldEntry = beginWorld(context, { id, configuration, begun: "wall" in base ? base.wall : begun });
  if ("world" in base) returnTo(freshWorldEntry, base);
  freshWorldEntry.log = openLog(base, {}, after);
  for (const entry of entries) await replayEntry(context, freshWorldEntry, entry);
  freshWorldEntry.log.parked.clear();
  return freshWorldEntry;
}

/** Replaces a world with another world. Its listeners stay. */
function replace(worldEntry: WorldEntry, { world, clock, faults, faultCount, journal, log, begun }: WorldEntry): void {
  endStreams(worldEntry.world);
  log.hooks = worldEntry.log.hooks;
  Object.assign(worldEntry.journal, { ring: journal.ring, total: journal.total });
  Object.assign(worldEntry, { world, clock, faults, faultCount, log, begun });
}

function findRangeProblem(oldest: number): Problem {
  return {
    problem: `The oldest entry in the log is ${oldest}. The log keeps at least ${minKept} entries, or fewer if bodies are large or the state was replaced often.`,
    field: "to",
  };
}
