import { judgePending, restartClientTally } from "../../client-report/calls.js";
import { addTally, openTally, type Tally } from "../../client-report/tally.js";
import type { Worlds } from "./worlds.js";

/** Returns the client tallies of all worlds of this process, deleted worlds included. */
export function joinTallies({ byId, pastClients }: Worlds): Tally {
  const sum = openTally();
  for (const { tally } of byId.values()) {
    judgePending(tally);
    addTally(sum, tally);
  }
  addTally(sum, pastClients);
  return sum;
}

/** Resets the client reports of all worlds of this process. */
export function forgetClients(worlds: Worlds): void {
  worlds.pastClients = openTally();
  for (const { tally } of worlds.byId.values()) restartClientTally(tally);
}
