import { forgetNumbers } from "../../client-report/calls.js";
import type { MockContext } from "../context.js";
import type { Problem } from "../input/problems.js";
import { restoreOutside } from "../journal/outside.js";
import { stillWall } from "../worlds/clock.js";
import { returnTo } from "../worlds/log/checkpoint.js";
import type { LogEntry } from "../worlds/log/entry.js";
import { leastKept, oldestKept, openLog, type Segment } from "../worlds/log/log.js";
import type { RewindResult } from "../worlds/log/rewind-result.js";
import { endStreams } from "../worlds/tool-sessions.js";
import type { HostedWorld } from "../worlds/worlds.js";
import { beginWorld, play, wake } from "./play.js";

/**
 * Takes a world back to where it stood before an entry of its log, by playing what came before on the nearest state that is kept. What goes
 * on in it meanwhile is dropped with the rest; calls that a fault holds back are cut off.
 */
export async function rewindWorld(site: MockContext, hosted: HostedWorld, to: number): Promise<RewindResult | Problem> {
  const { log } = hosted;
  if (!Number.isSafeInteger(to) || to < 1) return { problem: "Entries have numbers from 1 on.", field: "to" };
  if (to > log.total + 1)
    return { problem: `The log has ${log.total} entries, so it can go back before one of them.`, field: "to" };
  const segment = log.segments.findLast(({ after }) => after < to);
  if (!segment) return tooFar(oldestKept(log));
  const fresh = await playAgain(site, hosted, segment, segment.entries.slice(0, to - 1 - segment.after));
  if (hosted.log !== log) return { problem: "The world was rewound by somebody else meanwhile.", field: "to" };
  fresh.log.segments.unshift(...log.segments.filter(({ after }) => after < segment.after));
  const dropped = log.total - fresh.log.total;
  // one that is played itself stands still
  if (hosted.clock.wall !== stillWall) wake(fresh);
  restoreOutside(fresh.journal, hosted.journal, to);
  replace(hosted, fresh);
  log.hooks.onRewind?.(to);
  const { world, journal } = hosted;
  forgetNumbers(hosted.card, journal.total);
  return { now: new Date(world.now).toISOString(), entries: hosted.log.total, dropped, calls: journal.total };
}

async function playAgain(
  site: MockContext,
  { id, founding, begun }: HostedWorld,
  { base, after }: Segment,
  entries: LogEntry[],
): Promise<HostedWorld> {
  const fresh = beginWorld(site, { id, founding, begun: "wall" in base ? base.wall : begun });
  if ("world" in base) returnTo(fresh, base);
  fresh.log = openLog(base, {}, after);
  for (const entry of entries) await play(site, fresh, entry);
  fresh.log.parked.clear();
  return fresh;
}

/** Puts another world in the place of one; whoever listens stays. */
function replace(hosted: HostedWorld, { world, clock, faults, faultCount, journal, log, begun }: HostedWorld): void {
  endStreams(hosted.world);
  log.hooks = hosted.log.hooks;
  Object.assign(hosted.journal, { ring: journal.ring, total: journal.total });
  Object.assign(hosted, { world, clock, faults, faultCount, log, begun });
}

function tooFar(oldest: number): Problem {
  return {
    problem: `The log reaches back to entry ${oldest}: the last ${leastKept} are kept, fewer where bodies are large or many states were restored.`,
    field: "to",
  };
}
